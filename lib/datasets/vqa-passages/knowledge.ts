import { type Image, MkgError, quote } from "../../core/index.js";
import { type Graph, graphFrom, openImage, openImages } from "../../graph/index.js";
import type { PassageInput } from "../passages.js";

/** A page of a knowledge base, as its file tells it. A section's id is its own, or `<page>#<position from 0>`. */
export interface Page {
  readonly id: string;
  readonly title: string;
  readonly sections: readonly Section[];
  /** References to pictures of the page that belong to no section. */
  readonly images: readonly string[];
}

export interface Section {
  readonly id?: string;
  readonly title: string;
  readonly text: string;
  readonly images: readonly string[];
}

/** What a passage is: a section of a page, or a whole page. */
export type Unit = "section" | "page";

/** Which pages are kept: all, or those that gold names (themselves or a section) and the first others until `maxPages` are there, as many as gold has ids counted. */
export interface Selection {
  readonly maxPages: number | null;
  readonly gold: ReadonlySet<string>;
}

/** A knowledge base, once read. */
export interface Knowledge {
  readonly passages: readonly PassageInput[];
  readonly graph: Graph;
  readonly pages: number;
  /** Pages that `maxPages` left out. */
  readonly passedBy: number;
  readonly images: number;
}

const hasSection = { relation: "has section", relationLabel: "has section" };

/**
 * Collects pages and flat passages into passages and their graph: entities `page`, `section` and `passage`, a triple `has section` from a page to each of its
 * sections. The entity of a passage has the passage's id, and its text as description, so that whoever has the graph can read it. Memory: each text once.
 */
export class KnowledgeBuilder {
  readonly #passages: PassageInput[] = [];
  readonly #entities: { id: string; label: string; description: string; kind: string; images: readonly Image[] }[] = [];
  readonly #triples: { head: string; relation: string; relationLabel: string; tail: string }[] = [];
  readonly #ids = new Map<string, string>();
  #pages = 0;
  #others = 0;
  #passedBy = 0;
  #images = 0;
  constructor(
    private readonly folder: string,
    private readonly unit: Unit,
    private readonly selection: Selection,
  ) {}

  /** Errors, at `where`, before anything is added: an id that is taken, a picture that cannot be opened. */
  addPage(where: string, page: Page): void {
    const idOf = (section: Section, i: number) => section.id ?? `${page.id}#${i}`;
    if (this.#passBy([page.id, ...page.sections.map(idOf)])) return;
    const sections = page.sections.map((section, i) => ({
      ...section,
      id: idOf(section, i),
      opened: this.#open(where, section.images),
    }));
    const own = this.#open(where, page.images);
    this.#claim(where, [
      { id: page.id, what: "page" },
      ...sections.map(({ id }) => ({ id, what: `section of page ${quote(page.id)}` })),
    ]);
    const label = page.title || page.id;
    const whole = this.unit === "page" ? pageText(page) : "";
    this.#pages++;
    this.#images += own.length + sections.reduce((sum, { opened }) => sum + opened.length, 0);
    this.#entities.push({ id: page.id, label, description: whole, kind: "page", images: own });
    if (this.unit === "page")
      this.#passages.push({
        id: page.id,
        text: whole,
        title: page.title,
        page: page.id,
        images: [...own, ...sections.flatMap(({ opened }) => opened)],
      });
    for (const { id, title, text, opened } of sections) {
      this.#entities.push({ id, label: title || label, description: text, kind: "section", images: opened });
      this.#triples.push({ head: page.id, ...hasSection, tail: id });
      if (this.unit === "section")
        this.#passages.push({ id, text, title: page.title, page: page.id, section: title, images: opened });
    }
  }

  /** That the pictures of a page are there, where they are files. */
  async check(where: string, page: Page): Promise<void> {
    for (const reference of [...page.images, ...page.sections.flatMap(({ images }) => images)])
      await openImages(reference, { folder: this.folder, place: where });
  }

  /** A passage that is no part of a known page. */
  addPassage(where: string, passage: { id: string; text: string; title: string; images: readonly string[] }): void {
    const { id, text, title } = passage;
    if (this.#passBy([id])) return;
    const images = this.#open(where, passage.images);
    this.#claim(where, [{ id, what: "passage" }]);
    this.#pages++;
    this.#images += images.length;
    this.#entities.push({ id, label: title || id, description: text, kind: "passage", images });
    this.#passages.push({ id, text, ...(title === "" ? {} : { title }), images });
  }

  done(name: string): Knowledge {
    return {
      passages: this.#passages,
      graph: graphFrom({ name, entities: this.#entities, triples: this.#triples }),
      pages: this.#pages,
      passedBy: this.#passedBy,
      images: this.#images,
    };
  }

  /** Whether a page with these ids, its own and its sections', is left out. */
  #passBy(ids: readonly string[]): boolean {
    const { maxPages, gold } = this.selection;
    if (maxPages === null || ids.some((id) => gold.has(id))) return false;
    if (this.#others < maxPages - gold.size) {
      this.#others++;
      return false;
    }
    this.#passedBy++;
    return true;
  }

  #claim(where: string, wanted: readonly { id: string; what: string }[]): void {
    const own = new Set<string>();
    for (const { id, what } of wanted) {
      const earlier = this.#ids.get(id) ?? (own.has(id) ? what : undefined);
      if (earlier !== undefined)
        throw new MkgError(
          where,
          `a second ${what} with the id ${quote(id)}; the first is a ${earlier}`,
          "Ids of pages, sections and passages are distinct",
          "Remove or rename one of them",
        );
      own.add(id);
    }
    for (const { id, what } of wanted) this.#ids.set(id, what);
  }

  /** Pictures below the folder `images/`, data URLs, or addresses, which are kept and never fetched here. */
  #open(where: string, references: readonly string[]): Image[] {
    return references.map((reference) => openImage(reference, { folder: this.folder, place: where }));
  }
}

/** The sections of a page as one text: title, where it is not the page's, and text, a line each. */
const pageText = ({ title, sections }: Page): string =>
  sections
    .flatMap((section) => [section.title === title ? "" : section.title, section.text])
    .filter((part) => part !== "")
    .join("\n");

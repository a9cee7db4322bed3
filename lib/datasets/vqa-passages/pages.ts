import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { MkgError, namesIn, quote, readText, refuseUnknown } from "../../core/index.js";
import { parseJson } from "../../graph/index.js";
import { type Fields, field, type Intake, idField, isFields, listField, optionalText, textField } from "../intake.js";
import type { SplitName } from "../types.js";
import type { KnowledgeBuilder, Page, Section } from "./knowledge.js";

/** One published form of a knowledge base. */
export interface PageFormat {
  readonly name: string;
  /** As it stands in messages. */
  readonly file: string;
  /** The files of this form in a folder, for a split where each has its own. */
  find(folder: string, split: SplitName): Promise<readonly string[]>;
  read(intake: Intake, file: string, into: KnowledgeBuilder): Promise<void>;
}

const only = (file: string) => async (folder: string) => (existsSync(join(folder, file)) ? [join(folder, file)] : []);

/** Names in a folder that match, in code-unit order; none where there is no folder. */
export async function matching(folder: string, pattern: RegExp): Promise<string[]> {
  const names = await namesIn("dataset vqa-passages", folder);
  return names.filter((name) => pattern.test(name)).map((name) => join(folder, name));
}

/** Sub-folders or files of the three splits of M2KR, by their names there. */
export const m2krSplit: Readonly<Record<SplitName, string>> = { train: "train", validation: "valid", test: "test" };

/** One row a page or passage, each through `take`. */
const rows =
  (table: string, take: (where: string, record: Fields, into: KnowledgeBuilder) => void): PageFormat["read"] =>
  async (intake, file, into) => {
    intake.table(table);
    for await (const { record, line } of intake.rows(table, file))
      intake.row(table, file, line, (where) => take(where, record, into));
  };

const strings = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

function plainPage(where: string, record: Fields): Page {
  refuseUnknown(where, record, ["id", "title", "url", "sections", "images"], "field");
  const sections = field(record, "sections") ?? [];
  if (!Array.isArray(sections))
    throw new MkgError(where, `sections is not a list (${quote(sections)})`, "[{id?, title?, text, images?}]");
  return {
    id: textField(where, record, "id"),
    title: optionalText(where, record, "title"),
    images: listField(where, record, "images"),
    sections: sections.map((section: unknown, i): Section => {
      const at = `${where}, section ${i} (from 0)`;
      if (!isFields(section))
        throw new MkgError(at, `not an object (${quote(section)})`, "{id?, title?, text, images?}");
      refuseUnknown(at, section, ["id", "title", "text", "images"], "field");
      return {
        ...(field(section, "id") === undefined ? {} : { id: textField(at, section, "id") }),
        title: optionalText(at, section, "title"),
        text: optionalText(at, section, "text"),
        images: listField(at, section, "images"),
      };
    }),
  };
}

/** An entry of the knowledge base of Encyclopedic-VQA: lists of titles and texts, and the section of each picture. */
function wikiPage(where: string, record: Fields, key?: string): Page {
  const id = textField(where, record, "url");
  if (key !== undefined && key !== id)
    throw new MkgError(where, `the entry of ${quote(key)} has another url (${quote(id)})`, "The key again");
  const [titles, texts] = [field(record, "section_titles") ?? [], field(record, "section_texts")];
  if (!strings(texts)) throw new MkgError(where, `section_texts is not a list of strings (${quote(texts)})`);
  if (!strings(titles) || titles.length !== texts.length)
    throw new MkgError(
      where,
      `section_titles is not a list of ${texts.length} strings, as section_texts (${quote(titles)})`,
    );
  const urls = field(record, "image_urls") ?? [];
  const at = field(record, "image_section_indices") ?? [];
  if (!strings(urls)) throw new MkgError(where, `image_urls is not a list of strings (${quote(urls)})`);
  if (!Array.isArray(at)) throw new MkgError(where, `image_section_indices is not a list (${quote(at)})`);
  const inSection = (i: number) => urls.filter((_, k) => at[k] === i);
  return {
    id,
    title: optionalText(where, record, "title"),
    sections: texts.map((text, i) => ({ title: titles[i] as string, text, images: inSection(i) })),
    images: urls.filter((_, k) => !(Number.isInteger(at[k]) && at[k] >= 0 && at[k] < texts.length)),
  };
}

const wholeLimit = 512 * 2 ** 20;

export const pageFormats: readonly PageFormat[] = [
  {
    name: "plain",
    file: "pages.jsonl",
    find: only("pages.jsonl"),
    async read(intake, file, into) {
      intake.table("pages");
      for await (const { record, line } of intake.rows("pages", file))
        await intake.rowAsync("pages", file, line, async (where) => {
          const page = plainPage(where, record);
          await into.check(where, page);
          into.addPage(where, page);
        });
    },
  },
  {
    name: "e-vqa",
    file: "encyclopedic_kb_wiki.jsonl",
    find: only("encyclopedic_kb_wiki.jsonl"),
    read: rows("pages", (where, record, into) => into.addPage(where, wikiPage(where, record))),
  },
  {
    name: "e-vqa",
    file: "encyclopedic_kb_wiki.json",
    find: only("encyclopedic_kb_wiki.json"),
    async read(intake, file, into) {
      intake.table("pages");
      const { size } = await stat(file);
      if (size > wholeLimit)
        throw new MkgError(
          intake.place,
          `the file is too large (${file}: ${size} bytes)`,
          `At most ${wholeLimit} bytes`,
          `Write one page a line: python3 -c 'import json; [print(json.dumps(p)) for p in json.load(open("${basename(file)}")).values()]' > encyclopedic_kb_wiki.jsonl`,
        );
      const value = parseJson(await readText(file, { place: intake.place }), intake.place, file);
      if (!isFields(value)) throw new MkgError(intake.place, `${file}: not an object (${quote(value)})`, "{url: page}");
      for (const [i, [key, page]] of Object.entries(value).entries())
        intake.row("pages", file, i + 1, (where) => {
          if (!isFields(page))
            throw new MkgError(where, `not a page (${quote(page)})`, "{title, url, section_texts, …}");
          into.addPage(where, wikiPage(where, page, key));
        });
    },
  },
  {
    name: "infoseek",
    file: "Wiki6M*.jsonl",
    find: (folder) => matching(folder, /^Wiki6M.*\.jsonl$/i),
    read: rows("pages", (where, record, into) => {
      const image = optionalText(where, record, "wikipedia_image_url");
      const content = optionalText(where, record, "wikipedia_content");
      const text = content === "" ? optionalText(where, record, "wikipedia_summary") : content;
      into.addPage(where, {
        id: textField(where, record, "wikidata_id"),
        title: optionalText(where, record, "wikipedia_title"),
        sections: [{ title: "", text, images: [] }],
        images: image === "" ? [] : [image],
      });
    }),
  },
  {
    name: "okvqa",
    file: "okvqa_*_corpus.csv",
    find: (folder) => matching(folder, /^okvqa_\w+_corpus\.csv$/),
    read: rows("passages", (where, record, into) =>
      into.addPassage(where, {
        id: idField(where, record, "kid"),
        text: optionalText(where, record, "text"),
        title: optionalText(where, record, "title"),
        images: [],
      }),
    ),
  },
  {
    name: "m2kr",
    file: "*_passages/<split>_passages-*.parquet or .jsonl",
    async find(folder, split) {
      const folders = await matching(folder, /_passages$/);
      const name = new RegExp(`^${m2krSplit[split]}_passages(-\\d+-of-\\d+)?\\.(parquet|jsonl)$`);
      return (await Promise.all(folders.map((at) => matching(at, name)))).flat();
    },
    read: rows("passages", (where, record, into) =>
      into.addPassage(where, {
        id: idField(where, record, "passage_id"),
        text: optionalText(where, record, "passage_content"),
        title: optionalText(where, record, "title"),
        images: [],
      }),
    ),
  },
];

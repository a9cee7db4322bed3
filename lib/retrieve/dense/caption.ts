import { oneOf } from "../../core/index.js";
import { type Captioner, captioner, captionerNames, captionerTakes, captionImages } from "../../embed/index.js";
import { type KeyFrames, selectFrames } from "../../media/index.js";
import type { RetrieverEntry } from "../types.js";
import { cacheOf, keyFrames, openText, textEncoder } from "./options.js";
import { questionOptions, questionText } from "./question.js";
import { type TextRows, textRows } from "./rows.js";
import { searchText } from "./text.js";

interface CaptionState {
  readonly text: TextRows;
  readonly captioner: Captioner;
}

/**
 * Pictures as text: in a triple's text the head's label is replaced by a caption of the head's picture, where it has one (of several, the captions one
 * after the other, each once); of a passage with pictures the captions stand before its text. Ranked by the cosine with the question's text; the
 * question's own picture is not looked at, as released, or its caption is put after the text.
 */
export const caption: RetrieverEntry = {
  name: "caption",
  version: "1",
  citation: "the captioning retriever of MKG-RAG-Bench 2026, arXiv 2606.26458",
  options: {
    encoder: textEncoder,
    captioner: oneOf(captionerNames(), { default: "colours", doc: "what says what a picture shows" }),
    queryCaption: oneOf(["none", "after"], {
      default: "none",
      doc: "the question's picture: not looked at, as released, or its caption after the question",
    }),
    keyFrames,
    ...questionOptions,
  },
  label: (options) => `caption (${options.encoder}, ${options.captioner})`,
  async prepare(context, options): Promise<CaptionState> {
    const { graph, candidates, signal, folders } = context;
    const name = options.captioner as string;
    const models = folders?.models;
    const own = await captioner(name, models !== undefined && captionerTakes(name, "models") ? { models } : {});
    const captions = new Map<string, string>();
    const texts = new Map<string, string>();
    for (const { id, triple, text, images = [] } of candidates) {
      const head = triple === undefined ? undefined : graph.entity(graph.triple(triple).head);
      const key = head ? `entity ${head.id}` : `passage ${id}`;
      if (!captions.has(key)) {
        const frames = await selectFrames(head ? head.images : images, options.keyFrames as KeyFrames);
        const said = await captionImages(frames, own, { signal, ...cacheOf(context) });
        captions.set(key, [...new Set(said)].join(". "));
      }
      const said = captions.get(key) as string;
      // what a data set says of its rows begins with the head's label, else the caption stands before it
      const rest = head && text.startsWith(head.label) ? text.slice(head.label.length).trimStart() : text;
      texts.set(id, said === "" ? text : `${said} ${rest}`);
    }
    const text = await textRows(context, await openText(options.encoder, context), ({ id }) => {
      const said = texts.get(id) as string;
      return options.lowerCase === true ? said.toLowerCase() : said;
    });
    return { text, captioner: own };
  },
  async search(query, { state, k, signal }, options) {
    const { text, captioner: own } = state as CaptionState;
    const asked = questionText(query.text, options);
    if (options.queryCaption === "none") return searchText(text, asked, k);
    const frames = await selectFrames(query.images, options.keyFrames as KeyFrames);
    const said = [...new Set(await captionImages(frames, own, { signal }))].join(". ");
    return searchText(text, `${asked} ${options.lowerCase === true ? said.toLowerCase() : said}`, k);
  },
};

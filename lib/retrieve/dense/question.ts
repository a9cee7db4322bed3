import { flag, type OptionSpecs, oneOf } from "../../core/index.js";

/** How a question's text is prepared before it is encoded: where the two released programs of MKG-RAG-Bench differ. */
export const questionOptions: OptionSpecs = {
  imageMark: oneOf(["remove", "keep"], {
    default: "remove",
    doc: 'the mark "[IMAGE]" that stands for the question\'s picture: remove it, as MKG-RAG-Bench-M does, or keep it, as -G does',
  }),
  lowerCase: flag({ default: false, doc: "encode texts in lower case, as MKG-RAG-Bench-M does" }),
};

interface TextOptions {
  readonly imageMark?: unknown;
  readonly lowerCase?: unknown;
}

/** The text of a question as it is encoded. */
export function questionText(text: string, { imageMark, lowerCase }: TextOptions): string {
  const said = imageMark === "keep" ? text : text.replaceAll("[IMAGE]", " ").replace(/\s+/g, " ").trim();
  return lowerCase === true ? said.toLowerCase() : said;
}

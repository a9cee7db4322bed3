/** One output in several forms, by MIME type: text and base64 as strings, JSON types as objects. `text/plain` is always there. */
export type MimeBundle = Readonly<Record<string, unknown>> & { readonly "text/plain": string };

/** How much of a value is shown; what is left out is counted in the output. */
export interface ShowOptions {
  /** Rows of a table; default 25. */
  readonly maxRows?: number;
  /** Columns of a table; default 20. */
  readonly maxColumns?: number;
  /** Characters of a table cell; default 200. */
  readonly maxCharacters?: number;
  /** Questions of a run, the first ones; default 3. */
  readonly maxQuestions?: number;
  /** Hits of a ranking; default 5. */
  readonly maxHits?: number;
  /** Pictures of a list; default 24. A hit shows at most 4. */
  readonly maxImages?: number;
  /** Longest side of a small picture in pixels; default 160. */
  readonly thumbnailPx?: number;
}

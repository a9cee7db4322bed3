/**
 * Terms of RDF as entity ids: an IRI is its own text; a blank node `_:label`; a literal its N-Triples form, `"Paris"@fr` or
 * `"1"^^<http://www.w3.org/2001/XMLSchema#integer>`. The three cannot be confused: an absolute IRI begins with a letter.
 */
export const xsdString = "http://www.w3.org/2001/XMLSchema#string";
const rdfNamespace = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";

interface LiteralParts {
  readonly value: string;
  readonly datatype: string;
  /** As in the file; with a base direction behind `--` where there is one. */
  readonly language: string | null;
}

const escapes: Readonly<Record<string, string>> = { '"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r" };
const unescapes: Readonly<Record<string, string>> = { '"': '"', "\\": "\\", n: "\n", r: "\r" };

/** The id of a literal: escaped no more than N-Triples demands, so that one literal has one id. */
export const literalId = ({ value, datatype, language }: LiteralParts): string =>
  `"${value.replace(/["\\\n\r]/g, (char) => escapes[char]!)}"${language ? `@${language}` : datatype === xsdString ? "" : `^^<${datatype}>`}`;

const literalForm =
  /^"((?:[^"\\\n\r]|\\["\\nr])*)"(?:@([A-Za-z]+(?:-[A-Za-z0-9]+)*(?:--(?:ltr|rtl))?)|\^\^<([^<>]*)>)?$/;

/** The parts of a literal's id; undefined where it is none. */
export function literalParts(id: string): LiteralParts | undefined {
  const [, text, language, datatype] = literalForm.exec(id) ?? [];
  if (text === undefined || (datatype !== undefined && (!isIri(datatype) || datatype === xsdString))) return undefined;
  return {
    value: text.replace(/\\(.)/g, (_, char: string) => unescapes[char]!),
    datatype:
      datatype ??
      (language === undefined
        ? xsdString
        : `${rdfNamespace}${language.includes("--") ? "dirLangString" : "langString"}`),
    language: language ?? null,
  };
}

/** An absolute IRI, as N-Triples may hold it between `<` and `>`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the grammar excludes them
export const isIri = (text: string): boolean => /^[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>"{}|^`\\]*$/.test(text);

/** A blank node whose label every reader takes. */
export const isBlank = (text: string): boolean =>
  /^_:[\p{L}\p{Nd}_](?:[\p{L}\p{Nd}_.·-]*[\p{L}\p{Nd}_·-])?$/u.test(text);

/** An id as it stands in N-Triples; undefined where it is no term. */
export const termOf = (id: string): string | undefined =>
  isIri(id) ? `<${id}>` : isBlank(id) || literalParts(id) ? id : undefined;

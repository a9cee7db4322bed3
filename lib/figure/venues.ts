/** Widths of a column and of the whole text block in inches, from each venue's own style. */
export interface Venue {
  readonly single: number;
  readonly double: number;
}

/** TeX points to inches. */
const pt = (points: number) => points / 72.27;
const cm = (centimetres: number) => centimetres / 2.54;

// *ACL formatting guidelines (acl-org.github.io/ACLPUB/formatting.html): A4, margins 2.5 cm, columns 7.7 cm, gap 0.6 cm
const acl: Venue = { single: cm(7.7), double: cm(16) };
// CVPR/ICCV author kit: \textwidth 6.875 in; "columns are to be 3 1/4 inches wide"
const cvf: Venue = { single: 3.25, double: 6.875 };
// acmart, sigconf: \columnwidth 241.14749 pt, \textwidth 506.295 pt
const acm: Venue = { single: pt(241.14749), double: pt(506.295) };
// one column of text: both widths are the text's
const oneColumn: Venue = { single: 5.5, double: 5.5 };

/** Venue presets by name. `default` fits a column of most two-column styles. */
export const venues = {
  default: { single: 3.3, double: 6.8 },
  acl,
  emnlp: acl,
  naacl: acl,
  // neurips.sty: \textwidth 5.5 in (33 picas)
  neurips: oneColumn,
  // iclr conference style: text 5.5 in (33 picas) wide
  iclr: oneColumn,
  // icml.sty: \columnwidth 234.8775 pt, \textwidth 487.8225 pt
  icml: { single: pt(234.8775), double: pt(487.8225) },
  cvpr: cvf,
  iccv: cvf,
  acm,
  kdd: acm,
} as const satisfies Record<string, Venue>;

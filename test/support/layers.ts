import { posix } from "node:path";
import ts from "typescript";

/** Left to right: a stage imports only stages to its left. */
export const STAGES = [
  "core graph media datasets model embed evaluate stats answer",
  "walk retrieve gate construct figure study notebook cli",
]
  .join(" ")
  .split(" ");

/** Where a rule does not hold, and why. A path ending in `/` means everything below it. */
export const EXCEPTIONS: readonly { rule: string; path: string; why: string }[] = [
  { rule: "prints", path: "cli/", why: "the command line is where printing happens" },
  { rule: "exits", path: "cli/", why: "a command has an exit code" },
  { rule: "environment", path: "cli/", why: "the command line reads the user's settings and passes them on" },
  {
    rule: "environment",
    path: "embed/encoders/openai.ts",
    why: "the look-up of a key, which must pass through no option",
  },
  { rule: "chance", path: "core/files.ts", why: "the name of a temporary file is in no result" },
  { rule: "prints", path: "notebook/child.ts", why: "a program of its own: it catches what a cell prints" },
  { rule: "exits", path: "notebook/child.ts", why: "a program of its own: it ends when its parent is gone" },
];

export interface Violation {
  readonly rule: string;
  /** Path below lib. */
  readonly path: string;
  readonly detail: string;
}

/** Every breach of the import order and of the bans on printing, exits, environment, clock and chance. */
export function layerViolations(files: ReadonlyMap<string, string>, exceptions = EXCEPTIONS): Violation[] {
  const found: Violation[] = [];
  const edges = new Map<string, string[]>();
  for (const [path, text] of files) {
    const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
    found.push(...importViolations(path, text, files), ...codeViolations(path, source));
    edges.set(path, runtimeImports(path, source));
  }
  for (const cycle of cycles(edges)) found.push({ rule: "cycle", path: cycle[0] as string, detail: cycle.join(" → ") });
  return found.filter((v) => !exceptions.some((e) => e.rule === v.rule && covers(e.path, v.path)));
}

export const covers = (pattern: string, path: string): boolean =>
  pattern.endsWith("/") ? path.startsWith(pattern) : path === pattern;

const stageOf = (path: string): string => (path.includes("/") ? (path.split("/")[0] as string) : "");

/** The file that a relative import names, as a path below lib. */
const resolved = (path: string, specifier: string): string =>
  posix.join(posix.dirname(path), specifier).replace(/\.js$/, ".ts");

function importViolations(path: string, text: string, files: ReadonlyMap<string, string>): Violation[] {
  const found: Violation[] = [];
  const own = stageOf(path);
  if (own && !STAGES.includes(own)) found.push({ rule: "stage", path, detail: `no such stage: ${own}` });
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles) {
    if (!fileName.startsWith(".")) continue;
    const target = resolved(path, fileName);
    const stage = stageOf(target);
    if (!files.has(target)) found.push({ rule: "missing", path, detail: fileName });
    else if (stage === own) {
      if (own && target === `${own}/index.ts`) found.push({ rule: "own index", path, detail: fileName });
    } else if (target !== `${stage}/index.ts`) found.push({ rule: "index", path, detail: fileName });
    else if (own && STAGES.indexOf(stage) >= STAGES.indexOf(own))
      found.push({ rule: "order", path, detail: `${own} imports ${stage}` });
  }
  return found;
}

const BANNED: readonly { rule: string; match: RegExp }[] = [
  { rule: "prints", match: /^(console\.\w+|process\.(stdout|stderr)|process\.emitWarning)$/ },
  { rule: "exits", match: /^process\.(exit|exitCode|abort)$/ },
  { rule: "environment", match: /^process\.env$/ },
  { rule: "chance", match: /^Math\.random$/ },
  { rule: "clock", match: /^Date\.now$/ },
  { rule: "locale", match: /\.(localeCompare|toLocale\w+)$/ },
];

function codeViolations(path: string, source: ts.SourceFile): Violation[] {
  const found: Violation[] = [];
  const add = (rule: string, node: ts.Node) => {
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    found.push({ rule, path, detail: `line ${line}: ${node.getText().split("\n")[0]}` });
  };
  const member = (node: ts.Node, object: string, name: string) => {
    for (const { rule, match } of BANNED) if (match.test(`${object}.${name}`)) add(rule, node);
  };
  const visit = (node: ts.Node, inFunction: boolean): void => {
    if (ts.isPropertyAccessExpression(node)) member(node, node.expression.getText(), node.name.text);
    if (ts.isElementAccessExpression(node) && ts.isStringLiteralLike(node.argumentExpression))
      member(node, node.expression.getText(), node.argumentExpression.text);
    if (ts.isVariableDeclaration(node) && ts.isObjectBindingPattern(node.name) && node.initializer)
      for (const part of node.name.elements)
        member(part, node.initializer.getText(), (part.propertyName ?? part.name).getText());
    if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length) add("clock", node);
    if (ts.isImportDeclaration(node)) {
      const name = (node.moduleSpecifier as ts.StringLiteral).text;
      const bindings = node.importClause?.namedBindings;
      if (/^(node:)?process$/.test(name) && bindings && ts.isNamedImports(bindings))
        for (const part of bindings.elements) member(part, "process", (part.propertyName ?? part.name).text);
      // both have a top-level await: a notebook cell could then not load the library
      if (/^vega(-lite)?$/.test(name) && !node.importClause?.isTypeOnly) add("static vega", node);
    }
    if (!inFunction && (ts.isAwaitExpression(node) || (ts.isForOfStatement(node) && node.awaitModifier)))
      add("top-level await", node);
    ts.forEachChild(node, (child) => visit(child, inFunction || ts.isFunctionLike(node)));
  };
  visit(source, false);
  if (path === "index.ts")
    for (const statement of source.statements)
      if (!ts.isExportDeclaration(statement) || !statement.moduleSpecifier) add("code in index", statement);
  return found;
}

/** Files imported for their values: an import of types alone leaves no trace at run time. */
function runtimeImports(path: string, source: ts.SourceFile): string[] {
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    const specifier = statement.moduleSpecifier;
    if (!specifier || !ts.isStringLiteral(specifier) || !specifier.text.startsWith(".")) return [];
    const clause = ts.isImportDeclaration(statement) ? statement.importClause : statement;
    return clause?.isTypeOnly ? [] : [resolved(path, specifier.text)];
  });
}

/** One cycle for each back edge that a depth-first walk meets. */
function cycles(edges: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: string[]): void => {
    if (trail.includes(path)) {
      found.push([...trail.slice(trail.indexOf(path)), path]);
      return;
    }
    if (done.has(path)) return;
    for (const next of edges.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of edges.keys()) walk(path, []);
  return found;
}

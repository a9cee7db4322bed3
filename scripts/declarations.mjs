// Reads dist/index.d.ts the way a notebook cell does: with the kernel's own TypeScript, its resolution and its options.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const ts = createRequire(join(root, "package.json"))("@tslab/typescript-for-tslab");
const dist = join(root, "dist");
const cell = join(root, "notebooks", "__cell__.ts");
const source = 'import * as mkglab from "../dist/index.js";\nexport const names: string[] = Object.keys(mkglab);\n';

const options = {
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Node10,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts"],
  esModuleInterop: true,
  noEmit: true,
  skipLibCheck: false, // or errors inside declarations stay unseen
  types: ["node"],
};
const host = ts.createCompilerHost(options);
const { getSourceFile, fileExists } = host;
host.getSourceFile = (path, ...rest) =>
  path === cell ? ts.createSourceFile(path, source, options.target) : getSourceFile.call(host, path, ...rest);
host.fileExists = (path) => path === cell || fileExists.call(host, path);
host.readFile = (path) => (path === cell ? source : readFileSync(path, "utf8"));
host.getCurrentDirectory = () => root;

const program = ts.createProgram([cell], options, host);
// other packages' declarations are theirs to mend; a cell never checks them
const found = ts
  .getPreEmitDiagnostics(program)
  .filter(({ file }) => file === undefined || file.fileName === cell || file.fileName.startsWith(dist));
process.stdout.write(
  ts.formatDiagnostics(found, { ...host, getCanonicalFileName: (path) => path, getNewLine: () => "\n" }),
);
process.exitCode = found.length > 0 ? 1 : 0;

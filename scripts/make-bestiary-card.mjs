// Makes data/bestiary: the data card of the default world, every number of it measured anew, and its pictures. About two minutes.
//   node --import tsx scripts/make-bestiary-card.mjs [OUT]
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bestiaryCard } from "../lib/cli/bestiary-card.ts";

const out = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "data", "bestiary");
const onProgress = ({ task, done, total }) => process.stderr.write(`${done}/${total} ${task}\n`);
const { markdown, pictures } = await bestiaryCard({}, { planted: true, onProgress });
mkdirSync(out, { recursive: true });
for (const { name, png } of pictures) writeFileSync(join(out, name), png);
writeFileSync(join(out, "card.md"), markdown);

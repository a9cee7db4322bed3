// Makes data/atlas from npm packages at exact versions: tables, flags, licences, sources.json. Needs npm, tar and a registry.
//   node scripts/make-atlas.mjs [OUT]
// The same packages, sharp and resvg give the same bytes. Nothing is stated that no package states: column `source` says where from.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Resvg } from "@resvg/resvg-js";
import sharp from "sharp";

const out = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "..", "data", "atlas");

/** `licence` as each package's own licence file states it; `from`: the folders and files that are read. */
const packages = {
  "world-countries": {
    version: "5.1.0",
    integrity: "sha512-CXR6EBvTbArDlDDIWU3gfKb7Qk0ck2WNZ234b/A0vuecPzIfzzxH+O6Ejnvg1sT8XuiZjVlzOH0h08ZtaO7g0w==",
    licence: "ODbL-1.0",
    homepage: "https://github.com/mledoze/countries",
    gives: "all facts about countries; its own flags are only compared with",
    from: ["package/LICENSE", "package/countries.json", "package/data"],
  },
  "cldr-core": {
    version: "48.2.0",
    integrity: "sha512-zfmLothncSwfv2jlevoSrgI2VGgH8SDGHXst6jUEotHA8nq9Igeg9jzdJDFtBso9pgJuG89DK16TzrmZDdo2Bg==",
    licence: "Unicode-3.0",
    homepage: "https://cldr.unicode.org",
    gives: "which script a language is written in",
    from: ["package/LICENSE", "package/supplemental"],
  },
  "cldr-localenames-full": {
    version: "48.2.0",
    integrity: "sha512-4o0paYDz0UXhfhChAVFkmVl2CP0YTSEqE6WrC0fNafaSC5u5DAXphxH3SZ1Ujczarikr8DToKZfiok6EqWLdNQ==",
    licence: "Unicode-3.0",
    homepage: "https://cldr.unicode.org",
    gives: "English names of languages (as aliases) and scripts",
    from: ["package/LICENSE", "package/main/en"],
  },
  "flag-icons": {
    version: "7.5.0",
    integrity: "sha512-kd+MNXviFIg5hijH766tt+3x76ele1AXlo4zDdCxIvqWZhKt4T83bOtxUOOMlTx/EcFdUMH5yvQgYlFh1EqqFg==",
    licence: "MIT",
    homepage: "https://github.com/lipis/flag-icons",
    gives: "the flags, drawn 120 × 90 from its 4x3 drawings",
    from: ["package/LICENSE", "package/flags/4x3"],
  },
};

const byCodeUnit = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const sha256 = (data) => createHash("sha256").update(data).digest("hex");
const fail = (message) => {
  process.stderr.write(`make-atlas: ${message}\n`);
  process.exit(1);
};

// packages, unpacked into a temporary folder
const folder = mkdtempSync(join(tmpdir(), "atlas-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
for (const [name, { version, integrity, from }] of Object.entries(packages)) {
  const packed = execFileSync("npm", ["pack", "--silent", `${name}@${version}`], { cwd: folder, encoding: "utf8" });
  const file = join(folder, packed.trim().split("\n").at(-1));
  const got = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
  if (got !== integrity) fail(`${name}@${version} is not what was recorded (${got}). Recorded: ${integrity}.`);
  mkdirSync(join(folder, name));
  execFileSync("tar", ["-xzf", file, "-C", join(folder, name), ...from]);
}
const read = (name, path) => readFileSync(join(folder, name, "package", path), "utf8");
const json = (name, path) => JSON.parse(read(name, path));

const countries = json("world-countries", "countries.json").sort((a, b) => byCodeUnit(a.cca3, b.cca3));
const cldrAlias = json("cldr-core", "supplemental/aliases.json").supplemental.metadata.alias.languageAlias;
const cldrLanguages = json("cldr-core", "supplemental/languageData.json").supplemental.languageData;
const english = (part) => json("cldr-localenames-full", `main/en/${part}.json`).main.en.localeDisplayNames[part];
const [languageNames, scriptNames] = [english("languages"), english("scripts")];
const source = (name, field) => `${name}@${packages[name].version} ${field}`;

const entities = new Map();
const triples = [];
/** What a package states and the graph does not hold, by reason. */
const leftOut = new Map();
const leave = (reason, what) => leftOut.set(reason, [...(leftOut.get(reason) ?? []), what]);

/** An entity under several names: every call is one mention. The name that stands for it is chosen once all are known. */
function entity(id, kind, name, from, more = {}) {
  const known = entities.get(id) ?? { id, kind, source: from, mentions: [], aliases: [], ...more };
  known.mentions.push(name);
  entities.set(id, known);
  return id;
}
const triple = (head, relation, tail, from) => triples.push({ head, relation, tail, source: from });

const classes = [
  ["landlocked", "landlocked country"],
  ["unMember", "member state of the United Nations"],
  ["independent", "independent state"],
];
for (const c of countries) {
  const wc = (field) => source("world-countries", field);
  entity(c.cca3, "country", c.name.common, wc("name"), {
    description: `Official name: ${c.name.official}.${c.area > 0 ? ` Area: ${c.area} km².` : ""}`,
    images: `flags/${c.cca3.toLowerCase()}.png`,
    aliases: [c.name.official, ...c.altSpellings],
  });
  if (!(c.area > 0)) leave("area that is not positive", `${c.cca3} (${c.area})`);
}
for (const c of countries) {
  const wc = (field) => source("world-countries", field);
  for (const name of c.capital) {
    const city = entity(`city:${c.cca3}/${name}`, "city", name, wc("capital"));
    triple(c.cca3, "has the capital", city, wc("capital"));
    triple(city, "is the capital of", c.cca3, wc("capital"));
  }
  for (const code of c.borders) triple(c.cca3, "borders", code, wc("borders"));
  for (const [code, { name }] of Object.entries(c.currencies))
    triple(
      c.cca3,
      "uses the currency",
      entity(`currency:${code}`, "currency", name, wc("currencies")),
      wc("currencies"),
    );
  for (const [code, name] of Object.entries(c.languages))
    triple(
      c.cca3,
      "has the official language",
      entity(`language:${code}`, "language", name, wc("languages")),
      wc("languages"),
    );
  if (c.subregion) {
    triple(
      c.cca3,
      "lies in",
      entity(`subregion:${c.subregion}`, "subregion", c.subregion, wc("subregion")),
      wc("subregion"),
    );
  } else triple(c.cca3, "is part of", entity(`region:${c.region}`, "region", c.region, wc("region")), wc("region"));
  if (c.unRegionalGroup)
    triple(
      c.cca3,
      "belongs to the UN regional group",
      entity(`un-group:${c.unRegionalGroup}`, "UN regional group", c.unRegionalGroup, wc("unRegionalGroup")),
      wc("unRegionalGroup"),
    );
  for (const tld of c.tld)
    triple(c.cca3, "has the internet domain", entity(`domain:${tld}`, "internet domain", tld, wc("tld")), wc("tld"));
  const { root, suffixes } = c.idd;
  if (suffixes.length > 3)
    leave(
      "calling codes of countries that list more than three (they are area codes)",
      `${c.cca3} (${suffixes.length})`,
    );
  else
    for (const suffix of suffixes)
      triple(
        c.cca3,
        "has the calling code",
        entity(`calling-code:${root}${suffix}`, "calling code", root + suffix, wc("idd")),
        wc("idd"),
      );
  const demonym = c.demonyms.eng?.m;
  if (demonym)
    triple(
      c.cca3,
      "has inhabitants called",
      entity(`demonym:${demonym}`, "demonym", demonym, wc("demonyms")),
      wc("demonyms"),
    );
  for (const [field, label] of classes)
    if (c[field]) triple(c.cca3, "is a", entity(`class:${label}`, "class", label, wc(field)), wc(field));
}
const regionOf = new Map();
for (const { subregion, region } of countries)
  if (subregion) regionOf.set(subregion, new Set([...(regionOf.get(subregion) ?? []), region]));
for (const [subregion, regions] of [...regionOf].sort(([a], [b]) => byCodeUnit(a, b)))
  for (const region of [...regions].sort(byCodeUnit))
    triple(
      `subregion:${subregion}`,
      "is part of",
      entity(`region:${region}`, "region", region, source("world-countries", "region")),
      source("world-countries", "region, subregion"),
    );
for (const { id } of [...entities.values()]
  .filter((e) => e.kind === "language")
  .sort((a, b) => byCodeUnit(a.id, b.id))) {
  const code = id.slice("language:".length);
  const cldr = cldrAlias[code]?._replacement ?? code;
  const name = Object.hasOwn(languageNames, cldr) ? languageNames[cldr] : undefined;
  if (name) entities.get(id).aliases.push(name);
  const scripts = Object.hasOwn(cldrLanguages, cldr) ? cldrLanguages[cldr]._scripts : undefined;
  if (!scripts) leave("languages without a script in CLDR", code);
  for (const script of scripts ?? [])
    triple(
      id,
      "is written in",
      entity(`script:${script}`, "script", `${scriptNames[script]} script`, source("cldr-localenames-full", "scripts")),
      source("cldr-core", "languageData"),
    );
}

// the name that stands for an entity: the one that CLDR gives too, else the most frequent, else the first in code-unit order
for (const e of entities.values()) {
  const names = [...new Set(e.mentions)].sort(byCodeUnit);
  const count = (name) => e.mentions.filter((m) => m === name).length;
  e.label =
    names.find((n) => e.aliases.includes(n)) ?? names.sort((a, b) => count(b) - count(a) || byCodeUnit(a, b))[0];
  if (e.kind === "country") e.label = e.mentions[0];
  if (e.kind === "script") e.aliases.push(e.label.replace(/ script$/, ""));
  e.aliases = [...new Set([...names, ...e.aliases])].filter((a) => a !== e.label);
}
// An alias must name one entity of its kind. Codes of one or two characters are left out: IN, IS, NO read as words.
const namedBy = new Map();
for (const { id, kind, label, aliases } of entities.values())
  for (const name of [label, ...aliases]) {
    const key = `${kind} ${name.toLowerCase()}`;
    namedBy.set(key, (namedBy.get(key) ?? new Set()).add(id));
  }
for (const e of entities.values()) {
  const trouble = (alias) => {
    if (alias.length <= 2) return "aliases of one or two characters";
    if (alias.includes("|")) return "aliases with the character that separates them";
    return namedBy.get(`${e.kind} ${alias.toLowerCase()}`).size > 1
      ? "aliases that name several entities of a kind"
      : "";
  };
  for (const a of e.aliases) if (trouble(a)) leave(trouble(a), `${e.id} (${a})`);
  e.aliases = e.aliases.filter((a) => !trouble(a)).sort(byCodeUnit);
}

// flags
rmSync(join(out, "flags"), { recursive: true, force: true });
mkdirSync(join(out, "flags"), { recursive: true });
const small = new Map();
const theirs = new Map();
const raw = (svg) =>
  sharp(svg).flatten({ background: "#ffffff" }).resize(32, 24, { fit: "fill" }).toColourspace("srgb").raw().toBuffer();
const draw = (svg, width) =>
  new Resvg(svg, { fitTo: { mode: "width", value: width }, font: { loadSystemFonts: false } }).render().asPng();
for (const c of countries) {
  const png = draw(read("flag-icons", `flags/4x3/${c.cca2.toLowerCase()}.svg`), 120);
  writeFileSync(
    join(out, "flags", `${c.cca3.toLowerCase()}.png`),
    await sharp(png)
      .flatten({ background: "#ffffff" })
      .png({ palette: true, colours: 48, dither: 0, effort: 10, compressionLevel: 9 })
      .toBuffer(),
  );
  small.set(c.cca3, await raw(png));
  theirs.set(c.cca3, await raw(draw(read("world-countries", `data/${c.cca3.toLowerCase()}.svg`), 120)));
}
/** Root mean square of the channel differences, 0 to 255. */
const difference = (a, b) => Math.sqrt(a.reduce((sum, v, i) => sum + (v - b[i]) ** 2, 0) / a.length);
const alike = 26;
const differs = 70;
const twins = new Map(countries.map((c) => [c.cca3, []]));
for (const a of twins.keys())
  for (const b of twins.keys()) if (a !== b && difference(small.get(a), small.get(b)) < alike) twins.get(a).push(b);
// Bouvet Island flies the flag of Norway; its drawing is of another shade, and the cross stands a few pixels off
for (const [a, b] of [
  ["BVT", "NOR"],
  ["BVT", "SJM"],
]) {
  twins.get(a).push(b);
  twins.get(b).push(a);
}
for (const list of twins.values()) list.sort(byCodeUnit);
for (const [id, list] of twins) entities.get(id).flagLike = list.join("|");
const packagesDiffer = [...small].filter(([id, flag]) => difference(flag, theirs.get(id)) > differs).map(([id]) => id);

// tables
const tsv = (columns, rows) =>
  `${[
    columns,
    ...rows.map((row) =>
      columns.map((name) => {
        const cell = row[name] ?? "";
        if (/[\t\r\n]/.test(cell)) fail(`a tab or line break in a cell (${JSON.stringify(cell)})`);
        return cell;
      }),
    ),
  ]
    .map((cells) => cells.join("\t"))
    .join("\n")}\n`;
const order = [
  "country",
  "city",
  "currency",
  "language",
  "script",
  "subregion",
  "region",
  "UN regional group",
  "class",
  "demonym",
  "internet domain",
  "calling code",
];
const rows = [...entities.values()]
  .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || byCodeUnit(a.id, b.id))
  .map((e) => ({ ...e, aliases: e.aliases.join("|") }));
writeFileSync(
  join(out, "entities.tsv"),
  tsv(["id", "label", "kind", "description", "images", "aliases", "flagLike", "source"], rows),
);
writeFileSync(join(out, "triples.tsv"), tsv(["head", "relation", "tail", "source"], triples));

// licences, as the packages hold them
for (const [file, name] of [
  ["LICENSE-ODbL.txt", "world-countries"],
  ["LICENSE-Unicode.txt", "cldr-core"],
  ["LICENSE-flag-icons.txt", "flag-icons"],
])
  writeFileSync(join(out, file), read(name, "LICENSE"));

// sources.json: an entry for data/manifest.json
const { version } = createRequire(import.meta.url)("sharp/package.json");
const resvg = createRequire(import.meta.url)("@resvg/resvg-js/package.json").version;
const files = [
  "LICENSE-ODbL.txt",
  "LICENSE-Unicode.txt",
  "LICENSE-flag-icons.txt",
  "entities.tsv",
  "triples.tsv",
  ...readdirSync(join(out, "flags"))
    .sort(byCodeUnit)
    .map((f) => `flags/${f}`),
];
const kinds = Object.fromEntries(order.map((kind) => [kind, rows.filter((r) => r.kind === kind).length]));
const relations = {};
for (const t of triples) relations[t.relation] = (relations[t.relation] ?? 0) + 1;
writeFileSync(
  join(out, "sources.json"),
  `${JSON.stringify(
    {
      source: "made by scripts/make-atlas.mjs from the npm packages below",
      licence: "ODbL-1.0 (entities.tsv, triples.tsv; CLDR's part of them also Unicode-3.0), MIT (flags/)",
      redistribution: "allowed under these licences",
      citation:
        "world-countries 5.1.0 (M. Le Doze and contributors), Unicode CLDR 48.2.0, flag-icons 7.5.0 (P. Lipiridis and contributors)",
      packages: Object.fromEntries(Object.entries(packages).map(([name, { from: _, ...rest }]) => [name, rest])),
      drawnWith: { "@resvg/resvg-js": resvg, sharp: version },
      counts: {
        entities: rows.length,
        triples: triples.length,
        relations: Object.keys(relations).length,
        flags: countries.length,
      },
      kinds,
      triplesByRelation: relations,
      leftOut: [...leftOut].map(([what, list]) => ({ what, count: list.length, examples: list.slice(0, 8) })),
      flags: {
        alike: {
          what: `flags whose 32 × 24 thumbnails differ by less than ${alike} of 255 (root mean square) from another's; column flagLike`,
          count: [...twins.values()].filter((l) => l.length > 0).length,
        },
        packagesDiffer: {
          what: `flags whose 32 × 24 thumbnails differ by more than ${differs} of 255 between flag-icons and world-countries`,
          countries: packagesDiffer,
        },
      },
      files: Object.fromEntries(
        files.map((f) => [f, { bytes: statSync(join(out, f)).size, sha256: sha256(readFileSync(join(out, f))) }]),
      ),
    },
    null,
    2,
  )}\n`,
);
process.stdout.write(`${out}: ${rows.length} entities, ${triples.length} triples, ${countries.length} flags\n`);

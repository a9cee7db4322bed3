#!/usr/bin/env node
import { readFileSync } from "node:fs";
import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { MkgError } from "../core/index.js";

const version = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

type Commands = typeof import("./commands.js");
/** A command's code, loaded when it is run: help is quick, and `doctor` works where a native package does not load. */
const run = new Proxy({} as Commands, {
  get:
    (_, name: keyof Commands) =>
    async (...args: unknown[]) =>
      ((await import("./commands.js"))[name] as (...args: unknown[]) => Promise<void>)(...args),
});

const integerOption = (min: number) => (text: string) => {
  if (!/^-?\d+$/.test(text) || Number(text) < min || !Number.isSafeInteger(Number(text)))
    throw new InvalidArgumentError(`It takes an integer ≥ ${min}.`);
  return Number(text);
};
const collect = (text: string, all: string[]): string[] => [...all, ...text.split(",").filter(Boolean)];
const collectPair = (text: string, all: Record<string, string>): Record<string, string> => {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It takes name=value.");
  return { ...all, [text.slice(0, at)]: text.slice(at + 1) };
};

const pairs = (flags: string, description: string): Option =>
  new Option(flags, description).argParser(collectPair).default({}, "none");

const lenientText = "leave out rows that cannot be kept, and list them";

function program(): Command {
  const root = new Command("mkglab")
    .description(
      "Retrieval-augmented generation over multimodal knowledge graphs: ablations with controls, statistics and figures.",
    )
    .version(version)
    .option("--data <dir>", "folder of data sets (default: $MKGLAB_DATA, else ./data)")
    .option("--cache <dir>", "folder where vectors are kept between runs (default: $MKGLAB_CACHE, else nowhere)")
    .option("--models <dir>", "folder of models (default: $MKGLAB_MODELS, else ./models)")
    .showHelpAfterError(false)
    .exitOverride()
    .configureOutput({ writeErr: () => {} });

  root
    .command("ablate")
    .description("the main job: factors one at a time against a base, and controls → table, figures, report")
    .option("--dataset <name>", "any data set with questions, by name or folder", "bestiary")
    .option(
      "--out <dir>",
      "where results go and are reused from (default: runs/ablate, or runs/ablate-NAME for another data set)",
    )
    .option("--seeds <n>", "run seeds 0 … n−1", integerOption(1), 3)
    .option("--concurrency <n>", "questions in flight; results do not depend on it", integerOption(1), 8)
    .option("--lenient", lenientText)
    .option("--json", "print the paths and the table as JSON")
    .action(run.ablate);
  root
    .command("study")
    .description("run, or go on with, a study described in a JSON file")
    .argument(
      "<file>",
      "JSON: dataset, base, vary, design, cross, controls, measures, seeds, split; `mkglab options` lists what base and vary take",
    )
    .option("--out <dir>", "where results go and are reused from (default: runs/ and the file's name)")
    .option("--concurrency <n>", "questions in flight; results do not depend on it", integerOption(1), 8)
    .option("--dry-run", "list the cells and stop")
    .option("--lenient", lenientText)
    .option("--json", "print the paths and the table as JSON")
    .action(run.studyFile);
  root
    .command("retrieve")
    .description("write a TREC run of one retriever over one data set")
    .requiredOption("--dataset <name>", "data set, by name or folder")
    .requiredOption("--retriever <name>", "retriever")
    .option("--setting <name>", "S1 … S5, where the data set has settings")
    .option("--k <n>", "hits per question", integerOption(1), 100)
    .option("--seed <n>", "run seed", integerOption(0), 0)
    .option(
      "-o, --option <name=value>",
      "an option of the retriever, see `mkglab options`; repeatable",
      collectPair,
      {},
    )
    .requiredOption("--out <file>", "the run, in TREC format; the name may end in .jsonl for full evidence")
    .option("--qrels-out <file>", "also write the relevant documents of the setting, in TREC format")
    .option("--lenient", lenientText)
    .option("--json", "print the result as JSON")
    .action(run.retrieveRun);
  root
    .command("embed")
    .description(
      "write the vectors of a data set's questions and rows, or of its pictures, as folders that openIndex reads",
    )
    .requiredOption("--dataset <name>", "data set, by name or folder")
    .requiredOption("--encoder <name>", "encoder of texts or of pictures")
    .option("--setting <name>", "S1 … S5, where the data set has settings")
    .option("-o, --option <name=value>", "an option of the encoder; repeatable", collectPair, {})
    .requiredOption("--out <dir>", "gets questions/ and rows/, each with vectors and ids.json")
    .option("--lenient", lenientText)
    .option("--json", "print what was written as JSON")
    .action(run.embedDataset);
  root
    .command("eval")
    .description(
      "measures of a TREC run, with trec_eval's conventions (-c: a judged query that the run lacks counts 0)",
    )
    .requiredOption("--qrels <file>", "query 0 document grade, or query document grade")
    .requiredOption("--run <file>", "query Q0 document rank score tag")
    .option("-m, --measure <name...>", "measure by canonical name, such as nDCG@10; repeatable", collect, [])
    .option("--missing <rule>", "a judged query that the run lacks: zero (default, counts 0), skip, error")
    .option("--ties <order>", "equal scores: id-descending (default, trec_eval's), id-ascending, file")
    .option("--duplicates <rule>", "a document that a query has twice: error (default), first, last, best")
    .option("--unjudged <rule>", "documents without a judgement: irrelevant (default), skip")
    .option("--per-query", "values by query too")
    .option("--json", "print as JSON")
    .action(run.evaluate);
  root
    .command("compare")
    .description("paired, clustered, corrected comparison of long score rows")
    .argument(
      "<scores...>",
      "JSONL or CSV files with columns run, question, group, cluster, seed, measure, value, status",
    )
    .requiredOption("--baseline <run>", "the run that the others are compared with")
    .addOption(new Option("-m, --measure <name...>", "measures").argParser(collect).default([], "all"))
    .option("--cluster <column>", "column of the unit of independence, or `none`", "cluster")
    .addOption(new Option("--correction <name>", "of p over all rows").choices(["holm", "none"]).default("holm"))
    .option("--seed <n>", "seed of the Monte Carlo test", integerOption(0), 0)
    .option("--json", "print as JSON")
    .action(run.compareFiles);
  root
    .command("notebook")
    .description("execute notebooks without Jupyter or Python; stops at a failing cell")
    .argument("<files...>", "notebooks (.ipynb)")
    .addOption(pairs("-p, --parameter <name=value>", "set a variable of the cell tagged `parameters`; repeatable"))
    .option("--out <dir>", "where executed copies go (default: only run)")
    .option("--timeout <seconds>", "for each cell", integerOption(1), 600)
    .option("--json", "print the result as JSON")
    .action(run.notebook);
  root
    .command("options")
    .description(
      "options of retrievers, readers and controls, the factors of a study, with their levels; and of data sets",
    )
    .argument("[name]", "a retriever, reader, control or data set (default: all)")
    .option("--json", "print as JSON")
    .action(run.options);
  const data = root.command("data").description("data sets");
  data
    .command("list")
    .description("data sets by name, with licence and size, and which of them are here")
    .option("--json", "print as JSON")
    .action(run.dataList);
  data
    .command("fetch")
    .description(
      "get what upstream publishes openly into the data folder, verified by SHA-256; goes on where it was stopped",
    )
    .argument("<name>", "a data set of the manifest")
    .option("--from <url>", "a mirror: a folder that holds the published paths")
    .option("--accept-unverified", "also take files whose SHA-256 nobody has verified, and record what came")
    .option("--timeout <seconds>", "silence after which a connection is given up", integerOption(1), 30)
    .option("--manifest <file>", "a manifest of your own, in the form of data/manifest.json")
    .option("--json", "print the result as JSON")
    .action(run.dataFetch);
  data
    .command("check")
    .description(
      "read a data set, a folder or a graph file whole and compare it with the manifest; fails on any mismatch or row left out",
    )
    .argument("<source>", "a data set by name, a folder, or a file of triples")
    .option("--lenient", lenientText)
    .option("--pictures", "also decode every picture")
    .option("--json", "print as JSON")
    .action(run.dataCheck);
  data
    .command("generate")
    .description("write a generated data set as a folder: tables, questions, pictures, data card")
    .argument("<name>", "bestiary or atlas")
    .requiredOption("--out <dir>", "a folder that is new or empty")
    .addOption(
      pairs(
        "-o, --option <name=value>",
        "seed, or an option that `mkglab options NAME` lists, such as creatures=8; repeatable",
      ),
    )
    .addOption(
      new Option("--splits <names>", "test, train, validation, with commas between; test is always written")
        .argParser(collect)
        .default([], "all"),
    )
    .option("--format <name>", "of the graph's tables", "jsonl")
    .option("--no-card", "without the data card, which measures shortcuts and takes some seconds")
    .option("--json", "print the result as JSON")
    .action(run.dataGenerate);
  root
    .command("doctor")
    .description("what works here, and how to get the rest")
    .option("--json", "print as JSON")
    .action(async (flags) => (await import("./doctor-report.js")).doctorReport(flags));
  // sub-commands copy no settings of the root on their own
  for (const command of [...root.commands, ...data.commands])
    command.exitOverride().configureOutput({ writeErr: () => {} });
  return root;
}

/** Commander's complaint in the house form: it already names value, allowed and the nearest known option. */
function usageError(error: CommanderError): string {
  const [first = "", ...rest] = error.message.replace(/^error: /, "").split("\n");
  return `mkglab: ${[first, ...rest]
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => (/[.?)]$/.test(line) ? line : `${line}.`))
    .join(" ")} See mkglab --help.`;
}

async function main(): Promise<number> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    process.stderr.write(
      `mkglab: Node.js is too old (${process.version}). It needs 20.19 or newer. Install a current Node.js.\n`,
    );
    return 1;
  }
  // a closed pipe (mkglab … | head) is the reader's decision, not an error
  for (const stream of [process.stdout, process.stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  try {
    const parser = program();
    if (process.argv.length <= 2) {
      process.stdout.write(parser.helpInformation());
      return 1;
    }
    await parser.parseAsync(process.argv);
    return Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      if (error.code === "commander.help") {
        process.stderr.write("mkglab: no command is named. See mkglab --help.\n");
        return 2;
      }
      process.stderr.write(`${usageError(error)}\n`);
      return 2;
    }
    if (error instanceof MkgError) {
      process.stderr.write(`${error.message}\n`);
      return 1;
    }
    if (error instanceof Error && error.name === "AbortError") {
      process.stderr.write("mkglab: interrupted. What was finished is stored: the same command goes on from there.\n");
      return 130;
    }
    const shown = error as Error;
    if (
      (error as NodeJS.ErrnoException)?.code === "ERR_MODULE_NOT_FOUND" ||
      /could not load|native binding|MODULE_NOT_FOUND/i.test(shown?.message ?? "")
    ) {
      process.stderr.write(
        `mkglab: a package is missing or does not load (${shown.message.split("\n")[0]}). Install again with npm ci; npx mkglab doctor says what works.\n`,
      );
      return 1;
    }
    process.stderr.write(
      `mkglab: an error of the program itself (${shown?.message ?? String(error)}). Please report it with the lines below.\n${shown?.stack ?? ""}\n`,
    );
    return 70;
  }
}

void main().then((code) => {
  process.exitCode = code;
});

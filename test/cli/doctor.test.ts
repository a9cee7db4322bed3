import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type DoctorOptions, doctor, doctorText } from "../../lib/cli/doctor.js";

const checkup = suite("doctor");
const folder = mkdtempSync(join(tmpdir(), "mkglab-doctor-test-"));
checkup.after(() => rmSync(folder, { recursive: true }));

let made = 0;
/** A folder of these files. */
function tree(files: Record<string, string>): string {
  const root = join(folder, `t${++made}`);
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, name, ".."), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return root;
}
const SECRET = "sk-must-not-be-printed";

/** These checks, or all, by name; the environment holds nothing but what is given. */
async function examine(only: string[] | undefined, options: Partial<DoctorOptions> = {}) {
  const { checks } = await doctor({ env: {}, cwd: tree({}), only, ...options });
  return { checks, by: (name: string) => checks.find((one) => one.name === name) ?? assert.unreachable(name) };
}

checkup("what the default installation brings works, and each works by being used", async () => {
  const { by } = await examine(undefined);
  for (const name of [
    "Node.js",
    "tables (arquero)",
    "pictures (sharp)",
    "SVG to PNG (resvg)",
    "figure font",
    "figures (vega, PDF)",
  ])
    assert.equal([name, by(name)?.status, by(name)?.remedy], [name, "works", ""]);
  assert.is(by("notebooks without Jupyter (tslab)")?.detail, "tslab 1.0.22 ran a cell");
});

checkup("what is not there is missing and has a command; nothing that works has one", async () => {
  const { checks, by } = await examine(undefined, { root: tree({ "package.json": "{}" }) });
  for (const { name, status, remedy } of checks) assert.is(remedy === "", status === "works", name);
  for (const name of ["native TensorFlow backend", "models (transformers.js)", "hosted models (openai)", "JupyterLab"])
    assert.is(by(name)?.status, "missing", name);
  assert.match(by("hosted models (openai)")?.remedy ?? "", "npm install -D openai@6.49.0");
  // a package folder without fonts or a build
  assert.is(by("figure font")?.status, "broken");
  assert.equal([by("build")?.status, by("build")?.remedy], ["broken", "npm run build"]);
});

const backend = (source: string) => ({ "package.json": "{}", "node_modules/@tensorflow/tfjs-node/index.js": source });

checkup(
  "a backend that is installed and fails is broken, with the reason kept: no code, a load error, a dead process",
  async () => {
    const failing: [source: string, said: RegExp][] = [
      [
        'throw new Error("The Node.js native addon module can not be found");',
        /does not load \(The Node.js native addon module/,
      ],
      [
        'throw Object.assign(new Error("libx.so: no such file"), { code: "ERR_DLOPEN_FAILED" });',
        /\(ERR_DLOPEN_FAILED: libx.so/,
      ],
      ['require("not-there");', /\(MODULE_NOT_FOUND: Cannot find module 'not-there'/],
      ["process.kill(process.pid, 'SIGSEGV');", /the process ended: SIGSEGV/],
    ];
    for (const [source, said] of failing) {
      const { by } = await examine(undefined, { root: tree(backend(source)) });
      assert.is(by("native TensorFlow backend")?.status, "broken", source);
      assert.match(by("native TensorFlow backend")?.detail ?? "", said);
    }
  },
);

checkup(
  "a native backend is told from a pure JavaScript package under its name, noise on its output or not",
  async () => {
    const native =
      'console.log("noise"); console.error("noise"); exports.backend = () => ({ binding: {}, isUsingGpuDevice: false });';
    const { by } = await examine(undefined, { root: tree(backend(native)) });
    assert.is(by("native TensorFlow backend")?.status, "works");
    assert.match(by("native TensorFlow backend")?.detail ?? "", "@tensorflow/tfjs-node runs on libtensorflow, CPU");
    const alias = await examine(undefined, { root: tree(backend("exports.backend = () => ({});")) });
    assert.match(alias.by("native TensorFlow backend")?.detail ?? "", "@tensorflow/tfjs-node is pure JavaScript here");
  },
);

checkup("the kernel is found where Jupyter looks, and is broken when the program that it names is gone", async () => {
  const spec = (command: string) => JSON.stringify({ argv: [command, "kernel"], language: "typescript" });
  const there = join(tree({ tslab: "" }), "tslab");
  const found = await examine(["kernel in JupyterLab"], {
    env: { JUPYTER_PATH: tree({ "kernels/mine/kernel.json": spec(there) }) },
  });
  assert.is(found.by("kernel in JupyterLab")?.status, "works");
  const user = await examine(["kernel in JupyterLab"], {
    env: {
      HOME: tree({ ".local/share/jupyter/kernels/mine/kernel.json": spec("/gone/tslab") }),
      XDG_DATA_HOME: undefined,
    },
  });
  if (process.platform === "linux") {
    assert.is(user.by("kernel in JupyterLab")?.status, "broken");
    assert.match(user.by("kernel in JupyterLab")?.detail ?? "", "/gone/tslab");
  }
  const other = await examine(["kernel in JupyterLab"], {
    env: { JUPYTER_PATH: tree({ "kernels/py/kernel.json": spec("python3"), "kernels/bad/kernel.json": "{" }) },
  });
  assert.is(other.by("kernel in JupyterLab")?.status, "missing");
});

checkup("JupyterLab is found on the PATH, with the kernels of its own installation", async () => {
  const kernel = JSON.stringify({ argv: [process.execPath, "tslab/kernel.js"] });
  const prefix = tree({ "bin/jupyter-lab": "", "share/jupyter/kernels/ts/kernel.json": kernel });
  chmodSync(join(prefix, "bin/jupyter-lab"), 0o755);
  const { by } = await examine(["JupyterLab", "kernel in JupyterLab"], {
    env: { PATH: ["/nowhere", join(prefix, "bin")].join(delimiter) },
  });
  assert.is(by("JupyterLab")?.detail, join(prefix, "bin/jupyter-lab"));
  assert.is(by("kernel in JupyterLab")?.status, "works");
});

checkup("a key's value is never shown", async () => {
  const report = await examine(["API key"], { env: { OPENAI_API_KEY: SECRET } });
  assert.is(report.by("API key")?.status, "works");
  assert.not.match(JSON.stringify(report.checks) + doctorText(report), SECRET);
  assert.is((await examine(["API key"])).by("API key")?.status, "missing");
});

checkup("data sets: absent ones are named with their files, a damaged one is broken", async () => {
  const none = await examine(["data sets"]);
  assert.is(none.by("data sets")?.status, "missing");
  assert.match(none.by("data sets")?.detail ?? "", "wiki_tuple_ids.txt");
  const damaged = await examine(["data sets"], {
    env: { MKGLAB_DATA: tree({ "markg/wiki_tuple_ids.txt": "a\tb\n" }) },
  });
  assert.is(damaged.by("data sets")?.status, "broken");
  assert.match(damaged.by("data sets")?.detail ?? "", "markg");
});

checkup("a model server is asked only when one is named: up, failing, absent", async () => {
  assert.is(
    (await examine(["model server", "API key"])).checks.some((one) => one.name === "model server"),
    false,
  );
  let status = 200;
  const http = createServer((_, response) => response.writeHead(status).end("{}")).listen(0, "127.0.0.1");
  await new Promise((next) => http.once("listening", next));
  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`;
  try {
    assert.is((await examine(["model server", "API key"], { endpoint })).by("model server")?.status, "works");
    status = 503;
    assert.match(
      (await examine(["model server", "API key"], { endpoint })).by("model server")?.detail ?? "",
      "HTTP status 503",
    );
  } finally {
    http.close();
    http.closeAllConnections();
  }
  const absent = (await examine(["model server", "API key"], { endpoint })).by("model server");
  assert.is(absent?.status, "broken");
  assert.match(absent?.detail ?? "", "does not answer (");
});

checkup("an unknown check is an error with the nearest known one", async () => {
  let said = "";
  await examine(["Node"]).catch((error: Error) => {
    said = error.message;
  });
  assert.match(said, /unknown check \("Node"\)\. Known: Node\.js, build/);
});

checkup("of several kernels the one that installs as tslab is named", async () => {
  const spec = JSON.stringify({ argv: [process.execPath, "tslab/kernel.js"] });
  const { by } = await examine(["kernel in JupyterLab"], {
    env: { JUPYTER_PATH: tree({ "kernels/jslab/kernel.json": spec, "kernels/tslab/kernel.json": spec }) },
  });
  assert.match(by("kernel in JupyterLab")?.detail ?? "", /^tslab in /);
});

checkup("what the default run does without is optional, all else is not", async () => {
  const { checks } = await examine(undefined);
  assert.equal(
    checks.filter((one) => !one.optional).map((one) => one.name),
    [
      "Node.js",
      "build",
      "tables (arquero)",
      "pictures (sharp)",
      "SVG to PNG (resvg)",
      "figure font",
      "figures (vega, PDF)",
      "notebooks without Jupyter (tslab)",
      "disk space",
    ],
  );
});

checkup("the text has a line for each check, the remedy below, optional parts and their counts apart", () => {
  const checks = [
    { name: "a", optional: false, status: "works" as const, detail: "1", remedy: "" },
    { name: "b", optional: true, status: "missing" as const, detail: "2", remedy: "npm i b" },
    { name: "c", optional: false, status: "broken" as const, detail: "3", remedy: "npm ci" },
  ];
  assert.is(
    doctorText({ checks }),
    `ok       a: 1
BROKEN   c: 3
         → npm ci

Optional, not needed by the default run:
absent   b: 2
         → npm i b

1 work, 0 missing, 1 broken; optional: 0 work, 1 absent, 0 broken
`,
  );
});

checkup.run();

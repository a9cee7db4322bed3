import * as tf from "@tensorflow/tfjs-core";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openIndex, useBackend } from "../../lib/embed/index.js";

const test = suite("backends");
const message = (promise: Promise<unknown>) =>
  promise.then(
    () => "nothing was thrown",
    (error: Error) => `${error.name}: ${error.message}`,
  );
const missing = (name: string) => {
  throw Object.assign(new Error(`Cannot find module '${name}'\nRequire stack:`), { code: "MODULE_NOT_FOUND" });
};

test("auto takes the first that works and says why the others are passed over", async () => {
  const info = await useBackend("auto", { load: missing });
  assert.equal([info.name, info.gpu, info.why, info.version], ["wasm", false, "part of the install", "4.22.0"]);
  assert.equal(info.passed, [
    { name: "tfjs-node-gpu", why: "not installed" },
    { name: "tfjs-node", why: "not installed" },
  ]);
  assert.is(tf.getBackend(), "wasm");
});

test("a native package that fails is told by how: no addon, no libraries, another tfjs-core, JavaScript under its name", async () => {
  const whys = async (load: (name: string) => unknown) =>
    (await useBackend("auto", { load })).passed.map(({ why }) => why);
  const failing = (error: Error) => () => {
    throw error;
  };
  assert.is(
    (await whys(failing(new Error("The Node.js native addon module (tfjs_binding.node) can not be found\nat …"))))[0],
    "The Node.js native addon module (tfjs_binding.node) can not be found",
  );
  assert.is(
    (await whys(failing(Object.assign(new Error("libcudart.so.11.0: cannot open"), { code: "ERR_DLOPEN_FAILED" }))))[0],
    "its libraries do not load: libcudart.so.11.0: cannot open",
  );
  assert.is((await whys(() => ({ engine: () => ({}) })))[0], "it brings another copy of tfjs-core; npm dedupe");
  assert.match(
    (await whys(() => ({ engine: () => tf.engine(), backend: () => ({}) })))[0] as string,
    /pure JavaScript under the native name/,
  );
  assert.match(
    await message(useBackend("tfjs-node", { load: missing })),
    /^SetupError: useBackend: tfjs-node does not work \(not installed\)\. Others: .* npm install @tensorflow\/tfjs-node@4\.22\.0/,
  );
});

test("a native package that works is used, whether a GPU computes is what it says, and exact search multiplies on it", async () => {
  // the native code itself is not exercised here: a backend of that name, with the kernels of JavaScript, stands for it
  await useBackend("cpu");
  const kernels = tf.getKernelsForBackend("cpu");
  tf.registerBackend("tensorflow", () => Object.assign(tf.findBackend("cpu"), { binding: {} }) as never);
  for (const kernel of kernels) tf.registerKernel({ ...kernel, backendName: "tensorflow" });
  const load = (gpu: boolean) => () => ({
    engine: () => tf.engine(),
    backend: () => ({ binding: {}, isUsingGpuDevice: gpu }),
  });
  const gpu = await useBackend("auto", { load: load(true) });
  assert.equal([gpu.name, gpu.gpu, gpu.why, gpu.passed], ["tfjs-node-gpu", true, "libtensorflow on a GPU", []]);
  assert.equal((await useBackend("tfjs-node-gpu", { load: load(false) })).gpu, false);
  const n = 2000;
  const data = Float32Array.from({ length: n * 8 }, (_, i) => Math.sin(i * 12.9898));
  const vectors = { n, dim: 8, data, encoder: "t", revision: "1" };
  const queries = { ...vectors, n: 300, data: data.slice(800, 800 + 300 * 8) };
  const before = tf.memory().numTensors;
  const native = await openIndex(vectors);
  const found = await native.searchAll(queries, 7);
  assert.equal([native.engine, tf.memory().numTensors], ["libtensorflow", before]);
  await useBackend("wasm");
  const other = await openIndex(vectors);
  assert.is(other.engine, "onnxruntime");
  assert.equal(await other.searchAll(queries, 7), found);
});

test("backends agree to single precision, and leave no tensors behind", async () => {
  const a = Float32Array.from({ length: 40 * 64 }, (_, i) => Math.sin(i + 0.5));
  const product = async (name: "wasm" | "cpu") => {
    await useBackend(name);
    const before = tf.memory().numTensors;
    const made = tf.tidy(() => tf.matMul(tf.tensor2d(a, [40, 64]), tf.tensor2d(a, [40, 64]), false, true));
    const data = await made.data();
    made.dispose();
    assert.is(tf.memory().numTensors, before);
    return data;
  };
  const [wasm, cpu] = [await product("wasm"), await product("cpu")];
  // |x| |y| is at most 64 here; d · 2^−24 = 64 · 2^−24
  wasm.forEach((x, i) => {
    assert.ok(Math.abs(x - (cpu[i] as number)) <= 64 * 64 * 2 ** -24);
  });
});

test("an unknown backend is refused with what is meant", async () => {
  assert.match(
    await message(useBackend("wasn" as never)),
    /unknown backend \("wasn"\)\. Known: auto, tfjs-node-gpu, tfjs-node, wasm, cpu\. Did you mean "wasm"\?/,
  );
});

test.run();

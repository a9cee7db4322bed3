/** Multiplies queries with rows: fast, in single precision, and so only near to the exact products. */
export interface Engine {
  readonly name: string;
  /** `queries` [n, dim] · `rows` [m, dim] transposed → [n, m]. */
  multiply(queries: Float32Array, n: number, rows: Float32Array, m: number, dim: number): Promise<Float32Array>;
}

interface Onnxruntime {
  readonly InferenceSession: {
    create(model: Uint8Array, options: object): Promise<{ run(feeds: object): Promise<{ s: { data: Float32Array } }> }>;
  };
  readonly Tensor: new (type: string, data: Float32Array, dims: readonly number[]) => unknown;
}

// one Gemm node with transB = 1: s [n, m] = q [n, d] · b [m, d]ᵀ. Made by onnx.helper.make_node("Gemm", ["q", "b"], ["s"], transB=1), opset 13
const gemm =
  "CAg6aAoeCgFxCgFiEgFzIgRHZW1tKg0KBnRyYW5zQhgBoAECEgFnWhUKAXESEAoOCAESCgoDEgFuCgMSAWRaFQoBYhIQCg4IARIKCgMSAW0KAxIBZGIVCgFzEhAKDggBEgoKAxIBbgoDEgFtQgQKABAN";

/** onnxruntime's matrix product; undefined, with why, where the package is not installed or does not load. */
export async function onnxEngine(
  load: () => Promise<unknown> = () => import("onnxruntime-node" as string),
): Promise<{ readonly engine?: Engine; readonly why: string }> {
  try {
    const loaded = (await load()) as Onnxruntime & { default?: Onnxruntime };
    const { InferenceSession, Tensor } = loaded.InferenceSession ? loaded : (loaded.default as Onnxruntime);
    const session = await InferenceSession.create(new Uint8Array(Buffer.from(gemm, "base64")), {
      graphOptimizationLevel: "disabled",
      logSeverityLevel: 3,
      // idle threads that wait by spinning would take the processor from the search between two products
      extra: { session: { intra_op: { allow_spinning: "0" } } },
    });
    return {
      why: "onnxruntime-node is installed",
      engine: {
        name: "onnxruntime",
        async multiply(queries, n, rows, m, dim) {
          const { s } = await session.run({
            q: new Tensor("float32", queries, [n, dim]),
            b: new Tensor("float32", rows, [m, dim]),
          });
          return s.data;
        },
      },
    };
  } catch (error) {
    return { why: `onnxruntime-node does not load: ${(error as Error).message.split("\n")[0]}` };
  }
}

/** libtensorflow's matrix product, where the native package of TensorFlow.js is loaded as its backend. */
async function tensorflowEngine(): Promise<{ readonly engine?: Engine; readonly why: string }> {
  const tf = await import("@tensorflow/tfjs-core");
  if (tf.getBackend() !== "tensorflow") return { why: 'useBackend("tfjs-node") or ("tfjs-node-gpu") was not called' };
  // recent GPUs round the factors of products to ten bits (TF32), which the bound of the search does not allow for
  if ((tf.backend() as { isUsingGpuDevice?: boolean }).isUsingGpuDevice)
    return { why: "the native backend is on a GPU, whose products may be rounded more than single precision is" };
  return {
    why: "the native backend is in use",
    engine: {
      name: "libtensorflow",
      async multiply(queries, n, rows, m, dim) {
        const product = tf.tidy(() =>
          tf.matMul(tf.tensor2d(queries, [n, dim]), tf.tensor2d(rows, [m, dim]), false, true),
        );
        try {
          return (await product.data()) as Float32Array;
        } finally {
          product.dispose();
        }
      },
    },
  };
}

let found: Promise<{ readonly engine?: Engine; readonly why: string }> | undefined;

/** The fastest engine here: libtensorflow, else onnxruntime; none, and the search multiplies in JavaScript. */
export async function fastest(): Promise<{ readonly engine?: Engine; readonly why: string }> {
  const native = await tensorflowEngine();
  if (native.engine) return native;
  found ??= onnxEngine();
  return found;
}

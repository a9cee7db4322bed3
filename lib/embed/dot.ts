/** Inner product of row i of `a` and row j of `b`, both [n, dim]; four sums at once, since a single one would wait for itself at every step. */
export const dot = (a: Float32Array, i: number, b: Float32Array, j: number, dim: number): number => {
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  let [x, y] = [i * dim, j * dim];
  const end = x + dim - (dim % 4);
  for (; x < end; x += 4, y += 4) {
    s0 += (a[x] as number) * (b[y] as number);
    s1 += (a[x + 1] as number) * (b[y + 1] as number);
    s2 += (a[x + 2] as number) * (b[y + 2] as number);
    s3 += (a[x + 3] as number) * (b[y + 3] as number);
  }
  for (; x < (i + 1) * dim; x++, y++) s0 += (a[x] as number) * (b[y] as number);
  return s0 + s1 + s2 + s3;
};

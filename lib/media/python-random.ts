import MersenneTwister from "mersenne-twister";

/**
 * The numbers of CPython's `random.Random(seed)` for a seed below 2^32: Mersenne Twister (Matsumoto & Nishimura 1998, doi 10.1145/272991.272995)
 * begun by `init_by_array([seed])`. Methods are called and draw as there (`random`, `uniform`, `choice`, `randint`, CPython 3.2 and later).
 *
 * @example
 * new PythonRandom(42).random(); // 0.6394267984578837
 */
export class PythonRandom {
  readonly #twister: MersenneTwister;

  constructor(seed: number) {
    this.#twister = new MersenneTwister([seed >>> 0]);
  }

  /** 0 ≤ x < 1, 53 bits. */
  random(): number {
    return this.#twister.random_long();
  }

  uniform(low: number, high: number): number {
    return low + (high - low) * this.random();
  }

  choice<T>(items: readonly T[]): T {
    return items[this.#below(items.length)] as T;
  }

  /** low … high, both included. */
  randint(low: number, high: number): number {
    return low + this.#below(high - low + 1);
  }

  /** 0 … n − 1: as many bits as n has, drawn again while they are too large. */
  #below(n: number): number {
    const bits = 32 - Math.clz32(n);
    let drawn: number;
    do drawn = this.#twister.random_int() >>> (32 - bits);
    while (drawn >= n);
    return drawn;
  }
}

// Only what is used of a package that ships no declarations.
declare module "mersenne-twister" {
  export default class MersenneTwister {
    constructor(seed: number | readonly number[]);
    /** 32 bits. */
    random_int(): number;
    /** 0 ≤ x < 1, 53 bits. */
    random_long(): number;
  }
}

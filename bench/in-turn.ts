/** Shares out what is due, one after the other and on from the last: none ever has two more than another. */
export class InTurn {
  readonly #count: number;
  #next = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** How much each of them gets of that many. */
  share(due: number): Uint32Array {
    const shares = new Uint32Array(this.#count).fill(Math.floor(due / this.#count));
    for (let left = due % this.#count; left > 0; left--) {
      shares[this.#next] = (shares[this.#next] ?? 0) + 1;
      this.#next = (this.#next + 1) % this.#count;
    }
    return shares;
  }
}

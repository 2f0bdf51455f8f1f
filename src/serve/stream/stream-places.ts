/** How many streams, of either kind, may be open at once. */
export class StreamPlaces {
  readonly #max: number;
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get areLeft(): boolean {
    return this.#taken < this.#max;
  }

  take(): void {
    this.#taken++;
  }

  leave(): void {
    this.#taken--;
  }
}

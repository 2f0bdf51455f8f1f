/** How often the log has each reading, which is known by its signal and its round. */
export class Rounds {
  readonly #bySignal = new Map<string, Uint8Array>();

  add(signalId: string, round: number): void {
    const rounds = this.#roomFor(signalId, round);
    rounds[round] = (rounds[round] ?? 0) + 1;
  }

  times(signalId: string, round: number): number {
    return this.#bySignal.get(signalId)?.[round] ?? 0;
  }

  #roomFor(signalId: string, round: number): Uint8Array {
    const rounds = this.#bySignal.get(signalId) ?? new Uint8Array(1_024);
    if (round < rounds.length && this.#bySignal.has(signalId)) return rounds;
    const larger = new Uint8Array(Math.max(rounds.length, 2 * (round + 1)));
    larger.set(rounds);
    this.#bySignal.set(signalId, larger);
    return larger;
  }
}

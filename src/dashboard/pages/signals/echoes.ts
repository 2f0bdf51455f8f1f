/**
 * Tells what comes back of what was handed on from what others have set: whoever types on meanwhile is not to be set
 * back by their own words.
 */
export class Echoes {
  readonly #sent: string[] = [];
  #latest: string;

  constructor(shown: string) {
    this.#latest = shown;
  }

  /** What is there, or will be once all that was sent has come back. */
  get latest(): string {
    return this.#latest;
  }

  send(text: string): void {
    this.#sent.push(text);
    this.#latest = text;
  }

  /** Whether others have set what is there now; what was sent before something that is back does not come any more. */
  isForeign(text: string): boolean {
    const at = this.#sent.indexOf(text);
    this.#sent.splice(0, at < 0 ? this.#sent.length : at + 1);
    if (at >= 0 || text === this.#latest) return false;
    this.#latest = text;
    return true;
  }
}

/** Turns passwords into what may be kept of them, and says whether one is the one that was kept. */
export interface Passwords {
  /** What to keep; another one at each call. */
  hash(password: string): Promise<string>;
  /**
   * Whether `kept` was made of it. `kept` null, as of somebody unknown: false, after the same work. Throws
   * TooManyPasswordsError when too many wait already.
   */
  verify(password: string, kept: string | null): Promise<boolean>;
}

/** More passwords wait to be checked than could be in a reasonable time. */
export class TooManyPasswordsError extends Error {
  override readonly name = "TooManyPasswordsError";
}

/** The service cannot start, for a reason that the person who started it can mend: told without a stack. */
export class StartError extends Error {
  override readonly name = "StartError";
}

/** The path cannot be used; the message says why, for whoever wrote it. */
export class PathError extends Error {
  override readonly name = "PathError";
}

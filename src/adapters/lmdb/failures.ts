import { LogUnavailableError } from "../../ports/event-log.ts";

/** LMDB gives the system's own error numbers (errno.h of Linux) and its own below -30,000. A write that the disk took
 * only in part is EIO to LMDB: the first failure on a disk that becomes full is mostly that one. */
const SENTENCES: ReadonlyMap<number, string> = new Map([
  [28, "The disk of the event log is full (ENOSPC): free some space, nothing else is needed."],
  [122, "The disk quota of the event log is used up (EDQUOT): free some space, nothing else is needed."],
  [27, "The event log's file may not grow any further (EFBIG): raise the file size limit."],
  [5, "The event log cannot be written (EIO): its disk is full, or failing."],
  [30, "The file system of the event log is read-only (EROFS): check the disk."],
  [-30792, "The event log's address space is used up (MDB_MAP_FULL): restart the service."],
]);

/** The wrapper's own error says only that the commit failed; the cause is in a promise that rejects with it. */
const causeOf = async (error: unknown): Promise<unknown> => {
  if (!(error instanceof Error) || !("commitError" in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
};

const codeOf = (cause: unknown): number | null =>
  cause instanceof Error && "code" in cause && typeof cause.code === "number" ? cause.code : null;

/** A failed transaction as the port names it, with what to do about it. */
export const diskFailure = async (error: unknown): Promise<LogUnavailableError> => {
  const cause = await causeOf(error);
  const code = codeOf(cause);
  const sentence = code === null ? undefined : SENTENCES.get(code);
  const words = cause instanceof Error ? cause.message : String(cause);
  return new LogUnavailableError(sentence ?? `The event log cannot be written: ${words}.`, { cause });
};

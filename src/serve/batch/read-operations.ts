import { BatchOperation } from "../../../schemas/batch.ts";
import { isReadingTime } from "../../domain/reading-line.ts";
import type { Clock } from "../../ports/clock.ts";
import { type ProblemError, validationFailed } from "../problem.ts";
import { fieldProblemsOf } from "../validation.ts";

/** A line that is no JSON, in the place of the operation that it should have been. */
export class UnreadableLine {
  readonly message: string;
  /** Tells one broken request from another, for its Idempotency-Key. */
  readonly line: string;

  constructor(message: string, line: string) {
    this.message = message;
    this.line = line;
  }
}

/** An operation with its place in the batch, or why it is none. */
export type ReadOperation =
  | { readonly index: number; readonly operation: BatchOperation }
  | { readonly index: number; readonly problem: ProblemError };

const readOne = (item: unknown, nowMs: number): BatchOperation | ProblemError => {
  if (item instanceof UnreadableLine) return validationFailed([{ path: "", message: item.message }]);
  const read = BatchOperation.safeParse(item);
  if (!read.success) return validationFailed(fieldProblemsOf(read.error));
  const operation = read.data;
  if (operation.operation !== "report" || operation.at === undefined) return operation;
  if (isReadingTime(Date.parse(operation.at), nowMs)) return operation;
  return validationFailed([{ path: "at", message: "must be from 2000-01-01 to five minutes from now" }]);
};

/** Checking this many takes some milliseconds; then others have their turn. */
const SLICE = 500;

export const readOperations = async (items: readonly unknown[], clock: Clock): Promise<ReadOperation[]> => {
  const read: ReadOperation[] = [];
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % SLICE === 0) await clock.sleep(0);
    const one = readOne(item, clock.now());
    read.push(one instanceof Error ? { index, problem: one } : { index, operation: one });
  }
  return read;
};

import { InvalidCursorError } from "../../domain/cursor.ts";
import { ControlUnavailableError } from "../../ports/control-store.ts";
import { LogFullError, LogUnavailableError, PartitionLostError } from "../../ports/event-log.ts";

/** More of them, as in a circle, say nothing new. */
const CAUSES_MAX = 5;

/**
 * What a guest's consumer failed with is the very reason for which its partition was taken away. That one is an object
 * of the other thread, and is told from others by being the same: so it is not sent back, but named.
 */
export class LetGoError extends Error {
  override readonly name = "LetGoError";
}

/** The failures that a caller tells apart by their class, which no message between threads keeps. */
const NAMED = [
  ControlUnavailableError,
  InvalidCursorError,
  LetGoError,
  LogFullError,
  LogUnavailableError,
  PartitionLostError,
  RangeError,
] as const;

/** A failure on its way to another thread. */
export interface PackedFailure {
  readonly failure: string;
  readonly message: string;
  readonly stack: string | undefined;
  /** Null: none. */
  readonly cause: PackedFailure | null;
}

export const packFailure = (error: unknown, causesMax = CAUSES_MAX): PackedFailure => {
  if (!(error instanceof Error))
    return { failure: "Error", message: String(error), stack: undefined, cause: null };
  const { name: failure, message, stack, cause } = error;
  const without = cause === undefined || causesMax === 0;
  return { failure, message, stack, cause: without ? null : packFailure(cause, causesMax - 1) };
};

const unnamed = (name: string, message: string, options: ErrorOptions): Error => {
  const error = new Error(message, options);
  error.name = name;
  return error;
};

/** The failure as its thread threw it: of the same class if callers tell it apart, else an Error of its name. */
export const unpackFailure = ({ failure, message, stack, cause }: PackedFailure): Error => {
  const Named = NAMED.find(({ name }) => name === failure);
  const options = cause === null ? {} : { cause: unpackFailure(cause) };
  const error = Named === undefined ? unnamed(failure, message, options) : new Named(message, options);
  if (stack !== undefined) error.stack = stack;
  return error;
};

import type { ProblemCode } from "../../../../schemas/problem.ts";
import type { Tag } from "./tags.ts";

/** What the document says of a route beside its schemas. */
export interface Operation {
  /** A program's name for it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** A body that may be sent. */
  readonly body?: unknown;
  /** Bodies that no schema of ours describes, beside those that one does: an example of each media type. */
  readonly takes?: Readonly<Record<string, unknown>>;
  /** An answer, by its status. */
  readonly answer?: Readonly<Record<number, unknown>>;
  /** The media type of an answer that no schema of ours describes: text, or an object of JSON. */
  readonly gives?: string;
  /** Beyond those that its method and its path bring along. */
  readonly errors?: readonly ProblemCode[];
  /** A POST that takes no Idempotency-Key. */
  readonly plain?: true;
  /** What it answers with is no HTTP. */
  readonly opens?: "websocket";
}

/** By method and path. */
export type Operations = Readonly<Record<string, Operation>>;

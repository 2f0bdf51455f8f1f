import type { JSONValue } from "json-p3";
import type { Labels } from "../../../schemas/common.ts";
import type { RejectionReason } from "../../../schemas/source.ts";
import type { PlainReadings } from "./plain-readings.ts";
import type { Work } from "./work.ts";

/** Receives what a message maps to, element by element, in order. */
export interface MappingVisitor {
  /** `strength` in dBm and `atMs` are numbers, but not checked for their ranges. */
  reading(name: string, atMs: number, strength: number, element: JSONValue): void;
  /** An element (or a message that has none) of another kind: neither a signal nor a strength in it. */
  skipped(): void;
  rejected(reason: RejectionReason, detail: string): void;
}

/** A mapping made ready once for a source. */
export interface CompiledMapping {
  /** `arrivalMs` (Unix ms) is the time of readings that bring none. Never throws, whatever the message is; its work is bounded by the message. */
  map(message: JSONValue, arrivalMs: number, visitor: MappingVisitor): void;
  /**
   * The readings of a message that is all readings, straight from its bytes; null when it is not, or not so plain that
   * this can tell: then `map` says what it is. The same as `map` would say, and used again for the next message.
   */
  readPlain?(bytes: Uint8Array, arrivalMs: number): PlainReadings | null;
  /** The labels that a signal gets if this element makes it; asked for only then. */
  labels(element: JSONValue, message: JSONValue): Labels;
}

export type SignalNameOf = (element: JSONValue, message: JSONValue, work: Work) => string | SignalNameProblem;
/** `absent`: nothing there; `invalid`: something that is no text. */
export type SignalNameProblem = { readonly problem: "absent" | "invalid"; readonly detail: string };

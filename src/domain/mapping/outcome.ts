import type { JSONValue } from "json-p3";
import type { RejectionReason } from "../../../schemas/source.ts";
import type { CompiledMapping } from "./visitor.ts";

export interface MappedReading {
  readonly name: string;
  readonly atMs: number;
  readonly strength: number;
}
export interface MappingRejection {
  readonly reason: RejectionReason;
  readonly detail: string;
}

/** What a message came to: `readings` may stand beside rejections of some of its elements. */
export type MappingOutcome =
  | {
      readonly kind: "readings";
      readonly readings: readonly MappedReading[];
      readonly rejections: readonly MappingRejection[];
    }
  | { readonly kind: "skipped" }
  | { readonly kind: "rejected"; readonly rejections: readonly MappingRejection[] };

/** The outcome of one message as a value, where speed does not matter. */
export const mapMessage = (
  mapping: CompiledMapping,
  message: JSONValue,
  arrivalMs: number,
): MappingOutcome => {
  const readings: MappedReading[] = [];
  const rejections: MappingRejection[] = [];
  mapping.map(message, arrivalMs, {
    reading: (name, atMs, strength) => readings.push({ name, atMs, strength }),
    skipped: () => undefined,
    rejected: (reason, detail) => rejections.push({ reason, detail }),
  });
  if (readings.length > 0) return { kind: "readings", readings, rejections };
  return rejections.length > 0 ? { kind: "rejected", rejections } : { kind: "skipped" };
};

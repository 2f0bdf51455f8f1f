import type { Mapping as Compilable } from "../../../../schemas/source.ts";
import { compileMapping } from "../../../domain/mapping/compile.ts";
import { mapMessage } from "../../../domain/mapping/outcome.ts";

export interface Preview {
  readonly readings: readonly { readonly name: string; readonly atMs: number; readonly strength: number }[];
  readonly rejections: readonly string[];
  /** Messages without a signal and a strength. */
  readonly skipped: number;
  /** Messages that were cut, or are no JSON. */
  readonly unread: number;
}

const parsed = (payload: string): { readonly value: Parameters<typeof mapMessage>[1] } | null => {
  try {
    return { value: JSON.parse(payload) };
  } catch {
    return null;
  }
};

/** What messages come to, by the very code that ingests them; or what is wrong with the mapping. */
export const previewOf = (
  mapping: Compilable,
  payloads: readonly string[],
  arrivalMs: number,
): Preview | string => {
  const compiled = compileMapping(mapping);
  if (!compiled.ok) return compiled.message;
  const readings: Preview["readings"][number][] = [];
  const rejections: string[] = [];
  let [skipped, unread] = [0, 0];
  for (const payload of payloads) {
    const message = parsed(payload);
    if (message === null) {
      unread++;
      continue;
    }
    const outcome = mapMessage(compiled.mapping, message.value, arrivalMs);
    if (outcome.kind === "skipped") skipped++;
    else rejections.push(...outcome.rejections.map(({ detail }) => detail));
    if (outcome.kind === "readings") readings.push(...outcome.readings);
  }
  return { readings, rejections, skipped, unread };
};

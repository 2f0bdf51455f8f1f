import type { JSONValue } from "json-p3";
import type { CompiledMapping } from "../../src/domain/mapping/visitor.ts";
import { bytes } from "./rows.ts";

/** When the messages of these tests came: Unix ms. */
export const ARRIVAL = Date.UTC(2026, 0, 1);
const decoder = new TextDecoder();

interface Said {
  readonly name: string;
  readonly atMs: number;
  readonly strength: number;
}

/** What JSON.parse and the mapping say of a message; null if that is not readings alone. */
export const byParsing = (mapping: CompiledMapping, text: string): Said[] | null => {
  let message: JSONValue;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  const said: Said[] = [];
  let other = 0;
  mapping.map(message, ARRIVAL, {
    reading: (name, atMs, strength) => said.push({ name, atMs, strength }),
    skipped: () => other++,
    rejected: () => other++,
  });
  return other === 0 ? said : null;
};

/** What its bytes say; null if they are left to the parser. */
export const byBytes = (mapping: CompiledMapping, text: string): Said[] | null => {
  const plain = mapping.readPlain?.(bytes(text), ARRIVAL) ?? null;
  if (plain === null) return null;
  return Array.from({ length: plain.count }, (_, i) => ({
    name: decoder.decode(plain.names.subarray(plain.nameStart[i], plain.nameEnd[i])),
    atMs: plain.atMs[i] ?? Number.NaN,
    strength: plain.strengths[i] ?? Number.NaN,
  }));
};

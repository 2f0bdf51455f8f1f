import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  LINE_BYTES_MAX,
  type LineProblem,
  type LineVisitor,
  READING_FUTURE_MAX_MS,
  READING_TIME_MIN_MS,
  scanBlock,
} from "../../src/domain/reading-line.ts";
import { START_MS, signalId } from "../support/partition.ts";

type Scanned =
  | { id: string; atMs: number; strength: number; index: number }
  | { text: string; index: number; problem: LineProblem };

const scanned = (block: Uint8Array, appendedAt = START_MS): Scanned[] => {
  const found: Scanned[] = [];
  const decoder = new TextDecoder();
  const visitor: LineVisitor = {
    line: (bytes, { start, index, atMs, strength }) =>
      found.push({ id: decoder.decode(bytes.subarray(start, start + 30)), atMs, strength, index }),
    invalid: (bytes, start, end, index, problem) =>
      found.push({ text: decoder.decode(bytes.subarray(start, end)), index, problem }),
  };
  scanBlock(block, appendedAt, visitor);
  return found;
};
const encoded = (text: string) => new TextEncoder().encode(text);

describe("a block", () => {
  test("of junk never throws, and no part of a line is lost or told twice", () => {
    const junk = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .string({ unit: fc.constantFrom("\t", "\n", "s", "0", "-", ".", "9", "sig_"), maxLength: 60 })
        .map(encoded),
    );
    fc.assert(
      fc.property(junk, (block) => {
        const lines = Buffer.from(block).toString("latin1").split("\n");
        const expected = lines.flatMap((line, index) => (line === "" ? [] : [index]));
        expect(scanned(block).map(({ index }) => index)).toEqual(expected);
      }),
    );
  });
});

describe("a line", () => {
  const at = START_MS;
  const table: [string, LineProblem][] = [
    [`${signalId(1)}\t${at}`, "line_not_three_fields"],
    [`${signalId(1)}\t${at}\t-60\t`, "strength_invalid"],
    [`${signalId(11).toLowerCase()}\t${at}\t-60`, "signal_id_invalid"],
    [`sig_8ZZZZZZZZZZZZZZZZZZZZZZZZZ\t${at}\t-60`, "signal_id_invalid"],
    [`src_00000000000000000000000001\t${at}\t-60`, "signal_id_invalid"],
    [`${signalId(1)}\t\t-60`, "time_invalid"],
    [`${signalId(1)}\t-5\t-60`, "time_invalid"],
    [`${signalId(1)}\t1e12\t-60`, "time_invalid"],
    [`${signalId(1)}\t${READING_TIME_MIN_MS - 1}\t-60`, "time_out_of_range"],
    [`${signalId(1)}\t${at + READING_FUTURE_MAX_MS + 1}\t-60`, "time_out_of_range"],
    [`${signalId(1)}\t${at}\t`, "strength_invalid"],
    [`${signalId(1)}\t${at}\t-`, "strength_invalid"],
    [`${signalId(1)}\t${at}\t1.`, "strength_invalid"],
    [`${signalId(1)}\t${at}\t.5`, "strength_invalid"],
    [`${signalId(1)}\t${at}\t1e1`, "strength_invalid"],
    [`${signalId(1)}\t${at}\tNaN`, "strength_invalid"],
    [`${signalId(1)}\t${at}\t+5`, "strength_invalid"],
    [`${signalId(1)}\t${at}\t-60\r`, "strength_invalid"],
    [`${signalId(1)}\t${at}\t-200.1`, "strength_out_of_range"],
    [`${signalId(1)}\t${at}\t50.0001`, "strength_out_of_range"],
    ["x".repeat(LINE_BYTES_MAX), "line_too_long"],
  ];
  test.each(table)("%j is not valid: %s", (text, problem) => {
    expect(scanned(encoded(text))).toEqual([{ text, index: 0, problem }]);
  });
});

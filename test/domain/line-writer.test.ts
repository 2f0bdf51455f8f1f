import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { linePrefix, writeLine } from "../../src/domain/line-writer.ts";
import { LINE_BYTES_MAX, readingLine } from "../../src/domain/reading-line.ts";

const ID = "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
const prefix = linePrefix(ID);
const written = (atMs: number, strength: number): string => {
  const block = new Uint8Array(LINE_BYTES_MAX + 3);
  const end = writeLine(block, 3, prefix, atMs, strength);
  return new TextDecoder().decode(block.subarray(3, end));
};

describe("a line written as bytes", () => {
  it("is the line that readingLine makes, for every time and strength", () => {
    const strength = fc.oneof(
      fc.double({ min: -200, max: 50, noNaN: true }),
      fc.integer({ min: -200, max: 50 }),
      // Ties and near ties of the fifth decimal, where arithmetic and exact rounding part.
      fc.integer({ min: -20_000_000, max: 5_000_000 }).map((n) => n / 100_000),
      fc.integer({ min: -2_000, max: 500 }).map((n) => n / 10),
    );
    const atMs = fc.oneof(fc.integer({ min: 946_684_800_000, max: 4_102_444_800_000 }), fc.nat());
    fc.assert(
      fc.property(atMs, strength, (at, dbm) => {
        expect(written(at, dbm)).toBe(readingLine(ID, at, dbm));
      }),
      { numRuns: 20_000 },
    );
  });

  it("has no sign on nothing, and no zeros at its end", () => {
    for (const dbm of [-0, 0, -0.00001, -0.00005, 0.1, -0.1, 1.00015, -42.5, 50, -200]) {
      expect(written(1_700_000_000_000, dbm)).toBe(readingLine(ID, 1_700_000_000_000, dbm));
    }
  });
});

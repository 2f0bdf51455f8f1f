import fc from "fast-check";
import { expect, test } from "vitest";
import { ByteSlab } from "../../src/intake/byte-slab.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

test("what is kept stays what it was, however much follows", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("x".repeat(16_384), "y".repeat(40_000)),
  );
  fc.assert(
    fc.property(fc.array(text, { maxLength: 50 }), (texts) => {
      const slab = new ByteSlab();
      const spans = texts.map((each) => slab.keep(encoder.encode(each)));
      const kept = spans.map(({ bytes, start, end }) => decoder.decode(bytes.subarray(start, end)));
      expect(kept).toEqual(texts);
    }),
    { numRuns: 100 },
  );
});

test("short texts share their memory", () => {
  const slab = new ByteSlab();
  const spans = Array.from({ length: 1_000 }, (_, n) => slab.keep(encoder.encode(`tower-${n}`)));
  expect(new Set(spans.map(({ bytes }) => bytes)).size).toBe(1);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { ColumnReader } from "../../src/domain/reading-columns.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { SignalIds } from "../../src/domain/signal-ids.ts";
import { bytes, signalId } from "../support/rows.ts";

const AT = Date.UTC(2026, 0, 31, 9);
const decoder = new TextDecoder();

test("ids keep their slots and are known in order, however many came since that was asked last", () => {
  const rounds = fc.array(fc.array(fc.nat({ max: 2_000_000 }), { maxLength: 700 }), { maxLength: 5 });
  fc.assert(
    fc.property(rounds, (given) => {
      const ids = new SignalIds();
      const reader = new ColumnReader();
      const seen: string[] = [];
      for (const round of given) {
        const names = round.map((n) => signalId(n));
        const { slots } = reader.read(bytes(names.map((id) => readingLine(id, AT, -50)).join("")), AT, ids);
        for (const id of names) if (!seen.includes(id)) seen.push(id);
        expect([...slots]).toEqual(names.map((id) => seen.indexOf(id)));
        expect([...ids.inOrder()].map((slot) => decoder.decode(ids.bytesOf(slot)))).toEqual([...seen].sort());
      }
    }),
    { numRuns: 30 },
  );
});

test("a block longer than the reader's room is read whole, strengths as a Float32, bad lines told", () => {
  const problems: string[] = [];
  const reader = new ColumnReader((problem) => problems.push(problem));
  const lines = Array.from({ length: 12_000 }, (_, i) =>
    readingLine(signalId(i % 7), AT + i, -50.1 - i / 1e4),
  );
  const columns = reader.read(bytes(`${lines.join("")}rubbish\n`), AT, new SignalIds());
  expect(columns.slots.length).toBe(12_000);
  expect([...columns.atMs.subarray(11_998)]).toEqual([AT + 11_998, AT + 11_999]);
  expect(columns.strengths[3]).toBe(Math.fround(-50.1003));
  expect(problems).toEqual(["line_not_three_fields"]);
});

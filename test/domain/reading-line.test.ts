import fc from "fast-check";
import { expect, test } from "vitest";
import { readingLine, scanBlock } from "../../src/domain/reading-line.ts";
import { bytes, signalId } from "../support/rows.ts";

const NOW = Date.UTC(2026, 0, 31);
const ID = signalId(1);

/** What a scan says of a block, in words that can be compared. */
const scan = (block: Uint8Array, appendedAt = NOW): string[] => {
  const found: string[] = [];
  scanBlock(block, appendedAt, {
    line: (_, { index, start, atMs, strength }) => found.push(`${index}@${start} ${atMs} ${strength}`),
    invalid: (_, start, _end, index, problem) => found.push(`${index}@${start} ${problem}`),
  });
  return found;
};

const nearlyDigits = fc.stringMatching(/^-?[0-9]{0,16}(\.[0-9]{0,10})?[0-9.eE+\- ]?$/);
const strength = fc.oneof(
  fc.double({ min: -201, max: 51, noNaN: true }).map((value) => String(Number(value.toFixed(4)))),
  nearlyDigits,
  fc.constantFrom(
    "-0",
    "0",
    "-200",
    "50",
    "50.0001",
    "-200.0001",
    "007",
    "-42.5000",
    "1e1",
    ".5",
    "5.",
    "1.2.3",
    "--1",
    "",
  ),
);
const time = fc.oneof(
  fc.integer({ min: NOW - 1_000, max: NOW + 301_000 }).map(String),
  fc.constantFrom("946684800000", "946684799999", "0946684800000", "999999999999", "1000000000000"),
  nearlyDigits,
);
const id = fc.oneof(
  { weight: 5, arbitrary: fc.constant<string>(ID) },
  fc.constantFrom(ID.toLowerCase(), ID.slice(1), `${ID}0`, ID.replace("_0", "_8"), ID.replace("J", "U"), ""),
);
const line = fc
  .tuple(id, fc.constantFrom("\t", "\t", "\t", " ", ""), time, fc.constantFrom("\t", "\t", "\t\t"), strength)
  .map((fields) => fields.join(""));

test("the short way for plain lines says of every line what the grammar says", () => {
  // A line without its newline always takes the long way.
  fc.assert(
    fc.property(line, (text) => {
      expect(scan(bytes(`${text}\n`))).toEqual(scan(bytes(text)));
    }),
    { numRuns: 20_000 },
  );
});

test("lines stand at their places, whatever stands between them", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.constant("")), { maxLength: 6 }), (lines) => {
      let start = 0;
      const expected = lines.flatMap((text, index) => {
        const found = scan(bytes(text)).map((said) => said.replace("0@0", `${index}@${start}`));
        start += text.length + 1;
        return found;
      });
      expect(scan(bytes(lines.map((text) => `${text}\n`).join("")))).toEqual(expected);
    }),
    { numRuns: 2_000 },
  );
});

test("a reading written is the reading read", () => {
  const value = fc.double({ min: -200, max: 50, noNaN: true });
  fc.assert(
    fc.property(value, fc.integer({ min: 946_684_800_000, max: NOW }), (dBm, atMs) => {
      const written = Number.isInteger(dBm) ? dBm : Number(dBm.toFixed(4));
      expect(scan(bytes(readingLine(ID, atMs, dBm)))).toEqual([`0@0 ${atMs} ${written}`]);
    }),
  );
});

test.each([
  ["946684799999\t-1", "time_out_of_range"],
  [`${NOW + 300_001}\t-1`, "time_out_of_range"],
  [`${NOW}\t50.0001`, "strength_out_of_range"],
  [`${NOW}\tnan`, "strength_invalid"],
  [`${NOW}x\t-1`, "time_invalid"],
  ["0946684800000\t-1", "time_invalid"],
  [`${NOW}`, "line_not_three_fields"],
  [`${NOW}\t-${"1".repeat(60)}`, "line_too_long"],
])("a line with %s is %s", (rest, problem) => {
  expect(scan(bytes(`${ID}\t${rest}\n`))).toEqual([`0@0 ${problem}`]);
});

test("looks at each byte a few times at most, whatever is missing", () => {
  let searched = 0;
  class Counted extends Uint8Array<ArrayBuffer> {
    override indexOf(byte: number, from = 0): number {
      const at = super.indexOf(byte, from);
      searched += (at < 0 ? this.length : at) - from;
      return at;
    }
  }
  const block = new Counted(new ArrayBuffer(20_000)).fill(120);
  for (let at = 1; at < block.length; at += 2) block[at] = 10;
  expect(scan(block)).toHaveLength(block.length / 2);
  expect(searched).toBeLessThan(3 * block.length);
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { decodeLive, encodeLive } from "../../src/domain/live.ts";
import { LiveValues } from "../../src/serve/live-values.ts";
import { accountId, signalId } from "../support/partition.ts";
import { bytes } from "../support/rows.ts";

const strength = fc.oneof(
  fc.integer({ min: -2_000_000, max: 500_000 }).map((n) => n / 10_000),
  fc.double({ min: -200, max: 50, noNaN: true }),
  fc.constantFrom(-0, 1e-7),
);
const update = fc.record({
  signalId: fc.nat(3).map(signalId),
  accountId: fc.nat(1).map(accountId),
  atMs: fc.option(fc.oneof(fc.nat(), fc.integer({ min: 1e12, max: 2e12 }))),
  strength: fc.option(strength),
  status: fc.constantFrom("active" as const, "failed" as const, "paused" as const),
});
const written = update.map((one) => Buffer.from(encodeLive([one])).toString());
const bent = fc
  .tuple(written, fc.nat(100), fc.constantFrom("", "\t", "\n", "9", "-", "x", "é"))
  .map(([line, at, put]) => line.slice(0, at) + put + line.slice(at + 1));
const block = fc.array(fc.oneof({ weight: 4, arbitrary: written }, bent), { maxLength: 20 });
const record = fc.record({
  lines: block,
  offset: fc.option(fc.nat(5)),
  gone: fc.option(fc.nat(3).map(signalId)),
});

const valuesIn = (live: LiveValues, account: string) =>
  [...live.ids(account)].map((id) => {
    const value = live.get(account, id);
    return [
      id,
      value?.signalId,
      value?.accountId,
      value?.atMs,
      value?.strength,
      value?.status,
      value?.offset,
    ];
  });

test("a record read as bytes leaves what its lines say, and tells of the same signals", () => {
  const accounts = [accountId(0), accountId(1)];
  fc.assert(
    fc.property(fc.array(record, { maxLength: 12 }), (records) => {
      const [asBytes, asLines] = [new LiveValues(), new LiveValues()];
      const told: string[][] = [[], []];
      [asBytes, asLines].forEach((live, of) => {
        live.listen(accountId(0), (ids) => told[of]?.push(ids.join()));
      });
      for (const { lines, offset, gone } of records) {
        const value = bytes(lines.join(""));
        asBytes.applyBlock(value, offset);
        asLines.apply(decodeLive(value), offset);
        if (gone === null) continue;
        for (const live of [asBytes, asLines]) live.remove(accountId(0), gone);
      }
      for (const account of accounts) expect(valuesIn(asBytes, account)).toEqual(valuesIn(asLines, account));
      expect(told[0]?.join()).toBe(told[1]?.join());
    }),
    { numRuns: 500 },
  );
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { difference, keptFields } from "../../../src/adapters/control/difference.ts";

test("tells the fields that differ, as they were and as they are", () => {
  const before: object = { name: "a", labels: { site: "x" }, limit: -90, gone: 1 };
  const after: object = { name: "a", labels: { site: "y" }, limit: -90, come: null };
  expect(difference(before, after)).toEqual({
    before: { labels: { site: "x" }, gone: 1 },
    after: { labels: { site: "y" }, come: null },
  });
});

test("tells that a secret has changed, and not what it is", () => {
  const hide = ({ token: _, ...rest }: { token: string; url: string }) => ({ ...rest, token: "***" });
  const changed = difference({ token: "one", url: "u" }, { token: "two", url: "u" }, hide);
  expect(changed).toEqual({ before: { token: "***" }, after: { token: "***" } });
});

test("holds nothing where nothing differs, and is bounded whatever does", () => {
  const things = fc.dictionary(fc.string(), fc.jsonValue());
  fc.assert(
    fc.property(things, (thing) => {
      expect(difference(thing, structuredClone(thing))).toEqual({ before: {}, after: {} });
    }),
  );
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 10_000 }), (text) => {
      const kept = JSON.stringify(keptFields({ text }));
      expect(kept.length).toBeLessThan(20_000);
      expect(kept.isWellFormed()).toBe(true);
    }),
  );
  expect(keptFields({ short: "a", long: "b".repeat(5_000) })).toEqual({
    short: "a",
    long: expect.stringMatching(/^"b{1999}… \(5002 characters\)$/),
  });
});

import fc from "fast-check";
import { expect, test } from "vitest";
import { Shared } from "../../../src/domain/evaluation/shared.ts";

test("equal labels become one object, others stay what they are", () => {
  const labels = fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("x", "y"), {
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(fc.array(labels, { maxLength: 40 }), (all) => {
      const shared = new Shared<Record<string, string>>();
      const first = new Map<string, Record<string, string>>();
      for (const each of all) {
        const one = shared.of({ ...each });
        expect(one).toEqual(each);
        const text = JSON.stringify(each);
        expect(first.get(text) ?? one).toBe(one);
        first.set(text, one);
      }
    }),
  );
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { faultOfJson } from "../../src/serve/json-text.ts";

describe("a JSON text", () => {
  test.each([
    ["[[[]]]", 3, null],
    ["[[[[]]]]", 3, "nests deeper than 3"],
    ['{"a":{"b":{}}}', 2, "nests deeper than 2"],
    ['"[[[[[["', 2, null],
    ['["\\"[[[[["]', 2, null],
    ["[],[],[],[]", 1, null],
  ])("%s, with at most %i levels: %s", (text, limit, fault) => {
    expect(faultOfJson(text, limit)).toBe(fault);
  });

  test.each([
    ['{"a":1,"a":2}', '"a"'],
    ['{"a":1,"\\u0061":2}', '"a"'],
    ['[{"x":{"b":[1,"b"],"c":"b","b":0}}]', '"b"'],
    ['{"":1,"a":{},"":1}', '""'],
    ['{"a\\"":1,"a\\"":1}', '"a\\""'],
  ])("that names something twice, %s, is refused for %s", (text, name) => {
    expect(faultOfJson(text)).toBe(`names ${name} twice in one object`);
  });

  test("that a serialiser wrote has no fault, and one with any of its members again has", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(faultOfJson(JSON.stringify(value))).toBeNull();
      }),
    );
    const members = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 });
    fc.assert(
      fc.property(members, fc.nat(), (object, pick) => {
        const entries = Object.entries(object).map(
          ([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`,
        );
        const again = entries[pick % entries.length];
        expect(faultOfJson(`{${[...entries, again].join(",")}}`)).toMatch(/twice/);
      }),
    );
  });

  test("that is none is left to the parser", () => {
    for (const text of ["", "]]]]", '{"a', '{"a\\', ",,,", '{"\\u":1}', "}{"])
      expect(faultOfJson(text)).toBeNull();
  });
});

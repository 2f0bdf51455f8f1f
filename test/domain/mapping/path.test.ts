import fc from "fast-check";
import { type JSONValue, jsonpath } from "json-p3";
import { describe, expect, it } from "vitest";
import { compilePath, PathError } from "../../../src/domain/mapping/path.ts";

const NAMES = ["a", "b", "é", "__proto__", "constructor", "length", "0", "at"];
const value = fc.letrec<{ value: JSONValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.boolean(),
    fc.integer(),
    fc.string(),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .dictionary(fc.constantFrom(...NAMES), tie("value"), { maxKeys: 4 })
      .map((members): JSONValue => JSON.parse(`{${membersText(members)}}`)),
  ),
})).value;
// Through JSON text, as messages come: only so is `__proto__` a member of its own.
const membersText = (members: object): string =>
  Object.entries(members)
    .map(([key, member]) => `${JSON.stringify(key)}:${JSON.stringify(member)}`)
    .join(",");

const step = fc.oneof(
  fc.constantFrom(...NAMES).map((name) => `[${JSON.stringify(name)}]`),
  fc.constantFrom("a", "b", "constructor", "length").map((name) => `.${name}`),
  fc.integer({ min: -3, max: 3 }).map((index) => `[${index}]`),
);
const path = fc
  .tuple(fc.array(step, { maxLength: 4 }), fc.constantFrom("", "[*]"))
  .map(([steps, last]) => `$${steps.join("")}${last}`);

describe("a compiled path", () => {
  it("selects what the JSONPath engine selects, for every path of names and indexes", () => {
    fc.assert(
      fc.property(path, value, (text, root) => {
        const compiled = compilePath(text);
        const expected = jsonpath.query(text, root).values();
        expect(compiled.all(root)).toEqual(expected);
        expect(compiled.first(root)).toEqual(expected[0]);
      }),
      { numRuns: 2000 },
    );
  });

  it("runs every other path in the engine", () => {
    const root = { rx: [{ rssi: -90, ok: true }, { rssi: -80 }] };
    expect(compilePath("$.rx[?@.ok].rssi").all(root)).toEqual([-90]);
    expect(compilePath("$..rssi").all(root)).toEqual([-90, -80]);
    expect(compilePath("$.rx[*].rssi").first(root)).toBe(-90);
  });

  it("never reaches what objects inherit", () => {
    for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty"]) {
      expect(compilePath(`$.${name}`).first({})).toBeUndefined();
      expect(compilePath(`$.a.${name}`).first({ a: [] })).toBeUndefined();
    }
  });

  it("selects nothing in a message nested deeper than the engine goes", () => {
    const root: JSONValue = JSON.parse(`${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`);
    expect(compilePath("$..b").first(root)).toBeUndefined();
    expect(compilePath("$..b").all(root)).toEqual([]);
  });

  it("refuses what is no JSONPath, with the path in the message", () => {
    for (const text of ["", "rssi", "$.", "$[", "$.a[?", "$$.a"]) {
      expect(() => compilePath(text)).toThrow(PathError);
    }
    expect(() => compilePath("$.a[")).toThrow(/\$\.a\[ is no JSONPath/);
  });
});

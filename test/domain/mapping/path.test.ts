import fc from "fast-check";
import { JSONPathEnvironment, type JSONValue, jsonpath } from "json-p3";
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

const query = (start: "@" | "$") =>
  fc.array(step, { maxLength: 2 }).map((steps) => `${start}${steps.join("")}`);
const anyQuery = fc
  .tuple(query("@"), fc.constantFrom("", "[*]", "..a", "[0:2]"))
  .map(([singular, rest]) => singular + rest);
// Names that all objects inherit are left out of comparisons: json-p3 takes a missing `__proto__` for an empty object.
const comparable = fc.oneof(
  fc.constantFrom("null", "true", "1", "0", "'a'", "''", "@.a", "@.b", "@[0]", "$.a", "$[0]", "@"),
  anyQuery.map((text) => `count(${text})`),
  fc.constantFrom("length(@)", "length(@.a)", "value(@..a)", "value(@.a)"),
);
const condition = fc.letrec<{ test: string }>((tie) => ({
  test: fc.oneof(
    { maxDepth: 2, depthSize: "small" },
    fc.oneof(anyQuery, query("$")),
    fc
      .tuple(comparable, fc.constantFrom("==", "!=", "<", "<=", ">", ">="), comparable)
      .map((parts) => parts.join(" ")),
    fc.constantFrom("match(@.a, '[a-z]*')", "search(@, 'a')", "!@.a", "!(@.a == 1)"),
    fc
      .tuple(tie("test"), fc.constantFrom("&&", "||"), tie("test"))
      .map(([left, operator, right]) => `(${left}) ${operator} (${right})`),
  ),
})).test;
const bound = fc.option(fc.integer({ min: -5, max: 5 }), { nil: "" });
const anyStep = fc.oneof(
  step,
  fc.constantFrom("[*]", "..a", "..[*]", "..[0]", "['a','b']", "[0,-1]", "[-1,0]"),
  fc.tuple(bound, bound, bound).map((bounds) => `[${bounds.join(":")}]`),
  condition.map((text) => `[?${text}]`),
  condition.map((text) => `..[?${text}]`),
);
const anyPath = fc.array(anyStep, { minLength: 1, maxLength: 4 }).map((steps) => `$${steps.join("")}`);

// json-p3's own `match` and `search` take null for the text "null"; RFC 9535 (2.4.6) has them false for all but texts.
const reference = new JSONPathEnvironment();
for (const [name, pattern] of Object.entries({ match: /^[a-z]*$/, search: /a/ })) {
  reference.functionRegister.set(name, {
    argTypes: [jsonpath.FunctionExpressionType.ValueType, jsonpath.FunctionExpressionType.ValueType],
    returnType: jsonpath.FunctionExpressionType.LogicalType,
    call: (text: unknown) => typeof text === "string" && pattern.test(text),
  });
}

const unlessCostly = (text: string) => {
  try {
    return compilePath(text);
  } catch (error) {
    if (error instanceof PathError && error.message.endsWith("faster than the message")) return null;
    throw error;
  }
};

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

  it("selects what the JSONPath engine selects, for every other path that is taken", () => {
    let taken = 0;
    fc.assert(
      fc.property(anyPath, value, (text, root) => {
        const compiled = unlessCostly(text);
        if (compiled === null) return;
        taken++;
        const expected = reference.query(text, root).values();
        expect(compiled.all(root)).toEqual(expected);
        expect(compiled.first(root)).toEqual(expected[0]);
      }),
      { numRuns: 5000 },
    );
    expect(taken).toBeGreaterThan(2500);
  });

  it("finds by wildcards, filters and descendants", () => {
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

  it("looks through a message however deep it is", () => {
    const root: JSONValue = JSON.parse(`${'{"a":'.repeat(20_000)}{"b":7}${"}".repeat(20_000)}`);
    expect(compilePath("$..b").first(root)).toBe(7);
    expect(compilePath("$..c").all(root)).toEqual([]);
    expect(compilePath("$[?@ == $.a]").all(root)).toHaveLength(1);
  });

  it("refuses what is no JSONPath, with the path in the message", () => {
    for (const text of ["", "rssi", "$.", "$[", "$.a[?", "$$.a"]) {
      expect(() => compilePath(text)).toThrow(PathError);
    }
    expect(() => compilePath("$.a[")).toThrow(/\$\.a\[ is no JSONPath/);
  });
});

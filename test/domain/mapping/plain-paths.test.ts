import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Mapping } from "../../../schemas/source.ts";
import { compileMapping } from "../../../src/domain/mapping/compile.ts";
import type { CompiledMapping } from "../../../src/domain/mapping/visitor.ts";
import { chirpStackUplink, madeWalk, thingsStackUplink } from "../../support/lorawan.ts";
import { byBytes, byParsing } from "../../support/plain-readings.ts";
import { walkLines } from "../../support/walk.ts";

const compiled = (mapping: Mapping): CompiledMapping => {
  const outcome = compileMapping(mapping);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.mapping;
};
const TTN = compiled({ preset: "ttn-v3" });
const SIMPLE = compiled({ signal: "$.id", strength: "$.radio.dbm", at: "$.at" });
const SHARED = compiled({ each: "$.list[*]", signal: "{$$.site}-{$.n}", strength: "$$.dbm", at: "$.at" });

test("what network servers send is read from its bytes", () => {
  const uplink = JSON.stringify(thingsStackUplink);
  expect(byBytes(TTN, uplink)).toEqual(byParsing(TTN, uplink));
  expect(byBytes(TTN, uplink)).toHaveLength(2);
  const up = JSON.stringify(chirpStackUplink);
  const chirpStack = compiled({ preset: "chirpstack-v4" });
  expect(byBytes(chirpStack, up)).toEqual(byParsing(chirpStack, up));
  expect(byBytes(chirpStack, up)).not.toBeNull();
});

test("every uplink of a walk is read from its bytes, as it is parsed", () => {
  const lines = walkLines() ?? madeWalk(200).map((message) => JSON.stringify(message));
  const uplinks = lines.filter((line) => byParsing(TTN, line) !== null);
  expect(uplinks.length).toBeGreaterThan(100);
  for (const uplink of uplinks) expect(byBytes(TTN, uplink)).toEqual(byParsing(TTN, uplink));
});

const SIMPLE_ONE = '{"id":"a","radio":{"dbm":-61}}';
describe.each([
  ["simple", SIMPLE],
  ["shared", SHARED],
] as const)("by %s paths", (_name, mapping) => {
  test.each([
    SIMPLE_ONE,
    `[${SIMPLE_ONE}, {"at":"2026-01-01T00:00:00Z","radio":{"snr":1,"dbm":-6.5},"id":"b"}]`,
    '{"id":"a","x":{"id":"no","y":[1,[],{},[{"a":null}]]},"radio":{"t":true,"dbm":-61,"f":[false]}}',
    '{"x":"\\u00e4 \\"quoted\\" \\\\","id":"a","radio":{"n":-0.27884200000000003e-7,"dbm":-61}}',
    '{"ä":"ö","id":"a","radio":{"dbm":-61}}',
    ' { "site" : "s" , "dbm" : -1 , "list" : [ { "n" : "1" } , { "n":"2" , "at" : 1700000000 } ] } ',
    '{"list":[{"n":"1","list":[{"n":"3"}]}],"dbm":-70.25,"site":""}',
    `{"list":[${Array.from({ length: 400 }, (_, n) => `{"n":"number ${n}"}`).join()}],"site":"s","dbm":0}`,
  ])("%s is read as it is parsed, if it is", (text) => {
    const said = byBytes(mapping, text);
    if (said !== null) expect(said).toEqual(byParsing(mapping, text));
    expect([byBytes(SIMPLE, text), byBytes(SHARED, text)].some((one) => one !== null)).toBe(true);
  });
});

test.each([
  '{"id":"a","radio":{"dbm":-61},"radio":{"dbm":-62}}',
  '{"id":"a","radio":{"dbm":-61,"dbm":-62}}',
  '{"id":"a","id":"b","radio":{"dbm":-61}}',
  '{"id":"a","r\\u0061dio":{"dbm":-60},"radio":{"dbm":-61}}',
  '{"id":"a","radio":{"dbm":-6e1}}',
  '{"id":"a","radio":{"dbm":"-61"}}',
  '{"id":"a","radio":[{"dbm":-61}]}',
  '{"id":"a","radio":{"dbm":null}}',
  '{"id":7,"radio":{"dbm":-61}}',
  '{"radio":{"dbm":-61}}',
  '{"id":"a"}',
  `{"id":"${"a".repeat(201)}","radio":{"dbm":-61}}`,
  '{"id":"a","radio":{"dbm":-61},"x":01}',
  '{"id":"a","radio":{"dbm":-61},"x":1.}',
  '{"id":"a","radio":{"dbm":-61},"x":1e}',
  '{"id":"a","radio":{"dbm":-61},"x":-}',
  '{"id":"a","radio":{"dbm":-61},"x":+1}',
  '{"id":"a","radio":{"dbm":-61},"x":.5}',
  '{"id":"a","radio":{"dbm":-61},"x":truth}',
  '{"id":"a","radio":{"dbm":-61},"x":"\\x"}',
  '{"id":"a","radio":{"dbm":-61},"x":"\\u00g0"}',
  '{"id":"a","radio":{"dbm":-61},"x":"\n"}',
  '{"id":"a","radio":{"dbm":-61},"x":"',
  '{"id":"a","radio":{"dbm":-61},"x":{"y":1,}}',
  '{"id":"a","radio":{"dbm":-61},"x":[1,]}',
  '{"id":"a","radio":{"dbm":-61},"x":[1 2]}',
  '{"id":"a","radio":{"dbm":-61},"x":{"y" 1}}',
  '{"id":"a","radio":{"dbm":-61},"x":{y:1}}',
  '{"id":"a","radio":{"dbm":-61},}',
  '{"id":"a","radio":{"dbm":-61}}}',
  '{"id":"a","radio":{"dbm":-61}',
  `{"id":"a","radio":{"dbm":-61},"x":${"[".repeat(100)}${"]".repeat(100)}}`,
  "[]",
  "",
  "null",
  `[${SIMPLE_ONE},{}]`,
  `[${SIMPLE_ONE},7]`,
])("%s is left to the parser", (text) => {
  expect(byBytes(SIMPLE, text)).toBeNull();
});

test.each<Mapping>([
  { signal: "$.ids[0]", strength: "$.dbm" },
  { signal: "$.id", strength: "$..dbm" },
  { signal: "$.constructor", strength: "$.dbm" },
  { signal: "$['ä']", strength: "$.dbm" },
  { signal: "ä{$.id}", strength: "$.dbm" },
  { signal: "$.id", strength: "$.id" },
  { signal: "$.id", strength: "$.id.dbm" },
  { signal: "$$.id", strength: "$.dbm" },
  { each: "$.a[*].b", signal: "$.id", strength: "$.dbm" },
  { each: "$.list[*]", signal: "$$.list.id", strength: "$.dbm" },
])("paths that are more than names are left to the parser: %j", (mapping) => {
  expect(compiled(mapping).readPlain).toBeUndefined();
});

const NAMES = ["id", "site", "list", "radio", "dbm", "at", "n", "x"];

/** Paths that meet in every way: through each other, and at the same place. */
const mappings = fc
  .record({
    each: fc.constantFrom(undefined, "$.list[*]", "$[*]", "$.radio.list[*]"),
    signal: fc.constantFrom("$.id", "$.radio.id", "{$$.site}/{$.id}", "{$.n}-{$.n}", "fixed", "$$.site"),
    strength: fc.constantFrom("$.dbm", "$.radio.dbm", "$$.dbm", "$.list.dbm"),
    at: fc.option(fc.constantFrom("$.at", "$$.at", "$.radio.at"), { nil: undefined }),
    unit: fc.constantFrom<"dBm" | "percent" | "mW">("dBm", "percent", "mW"),
  })
  .map(({ each, at, ...others }) => ({
    ...others,
    ...(each === undefined ? {} : { each }),
    ...(at === undefined ? {} : { at }),
  }));

/** JSON as text, for what no value can hold: names that are there twice, and numbers in every form. */
const documents = fc.letrec<{ value: string; good: string; element: string }>((tie) => {
  const often = <T>(usual: fc.Arbitrary<T>, other: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: other });
  const number = fc.oneof(
    fc.integer({ min: -200, max: 100 }).map(String),
    fc.stringMatching(/^-?(0|[1-9]\d{0,16})(\.\d{1,17})?([eE][+-]?\d{1,3})?$/),
  );
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 5 }).map((value) => JSON.stringify(value)),
    fc.constantFrom('"a"', '"b b"', '"2026-01-01T00:00:00.5Z"', '"\\u0041\\n"'),
  );
  const space = fc.stringMatching(/^[ \t\r\n]{0,1}$/);
  const name = often(fc.constantFrom("x", "ä", "y z"), fc.constantFrom(...NAMES, "__proto__"));
  const member = fc
    .tuple(space, name, space, tie("value"))
    .map(([a, key, b, value]) => `${a}"${key}"${b}:${b}${value}${a}`);
  const id = often(fc.constantFrom('"a"', '"b b"', '""'), text);
  const dbm = often(
    fc.double({ min: -150, max: 100, noNaN: true }).map((value) => value.toFixed(2)),
    number,
  );
  const good = fc
    .record({ id, dbm, more: fc.array(member, { maxLength: 2 }) })
    .map((one) =>
      [
        `"id":${one.id}`,
        `"n":${one.id}`,
        `"dbm":${one.dbm}`,
        `"radio":{"dbm":${one.dbm},"id":${one.id}}`,
        ...one.more,
      ].join(),
    );
  const one = good.map((members) => `{${members}}`);
  const list = fc
    .array(often(one, tie("element")), { minLength: 1, maxLength: 3 })
    .map((elements) => `[${elements.join()}]`);
  const whole = fc
    .tuple(good, list, id)
    .map(([members, elements, site]) => `{${members},"site":${site},"list":${elements}}`);
  const radio = fc
    .tuple(list, id, dbm)
    .map(([elements, site, strength]) => `{"radio":{"list":${elements}},"site":${site},"dbm":${strength}}`);
  const any = fc.array(member, { maxLength: 4 }).map((members) => `{${members.join()}}`);
  return {
    good: fc.oneof({ depthSize: "small" }, one, whole, radio, list),
    element: fc.oneof({ depthSize: "small" }, any, tie("good")),
    value: fc.oneof(
      { depthSize: "small" },
      number,
      text,
      fc.constantFrom("true", "false", "null", "[]", "{}"),
      fc.constantFrom("NaN", "tru", "01"),
      tie("element"),
    ),
  };
});

test("whatever is read by paths from its bytes means what it means when parsed, to the last bit", () => {
  const message = fc.oneof(
    { weight: 9, arbitrary: documents.good },
    documents.element,
    fc.array(documents.element, { maxLength: 3 }).map((elements) => `[${elements.join()}]`),
  );
  // Broken in one place, now and then.
  const damaged = fc
    .tuple(message, fc.nat(), fc.constantFrom("", ",", '"', "}", "\\", "0", "-", "\u0007"))
    .map(([whole, at, instead]) => {
      const place = at % (whole.length + 1);
      return whole.slice(0, place) + instead + whole.slice(place + 1);
    });
  let taken = 0;
  fc.assert(
    fc.property(mappings, fc.oneof({ weight: 3, arbitrary: message }, damaged), (mapping, text) => {
      const one = compiled(mapping);
      const said = byBytes(one, text);
      if (said === null) return;
      taken++;
      expect(said).toEqual(byParsing(one, text));
    }),
    { numRuns: Number(process.env.SCENARIOS ?? 4_000) },
  );
  expect(taken).toBeGreaterThan(100);
});

test("a name is what stands in quotes, too", () => {
  const mapping = compiled({ signal: "$.a['b c']", strength: '$["dbm"]' });
  const text = '{"a":{"b c":"d"},"dbm":-7}';
  expect(byBytes(mapping, text)).toEqual(byParsing(mapping, text));
  expect(byBytes(mapping, text)).toHaveLength(1);
});

test("a message that would have a megabyte of names is left to the parser", () => {
  const mapping = compiled({ each: "$.list[*]", signal: "{$$.site}-{$.n}", strength: "$.dbm" });
  const messageOf = (elements: number) =>
    JSON.stringify({ site: "s".repeat(190), list: Array(elements).fill({ n: "1", dbm: -7 }) });
  expect(byBytes(mapping, messageOf(5_000))).toHaveLength(5_000);
  expect(byBytes(mapping, messageOf(6_000))).toBeNull();
});

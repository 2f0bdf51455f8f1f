import fc from "fast-check";
import { expect, test } from "vitest";
import { defaultMapping } from "../../../src/domain/mapping/default-preset.ts";
import * as readings from "../../support/plain-readings.ts";

const byParsing = (text: string) => readings.byParsing(defaultMapping, text);
const byBytes = (text: string) => readings.byBytes(defaultMapping, text);

test.each([
  '{"id":"a","rssi":-61}',
  '[{"id":"a","rssi":-61},{"id":"b","rssi":-42.5}]',
  ' [ { "id" : "a" , "rssi" : -0.25 } ,\r\n\t{ "strength": 0, "externalId": "b c" } ] \n',
  '[{"id":"a","rssi":-61},{"id":"b","rssi":-123456789},{"id":"c","rssi":1234567890},{"id":"d","rssi":-0}]',
  '[{"id":"a","rssi":-61},{"id":"b","rssi":12345.6789},{"id":"c","rssi":12345.67891},{"id":"","rssi":0.5}]',
  '[{"id":"a","rssi":-61},{"id":"b", "rssi":-62},{"rssi":-63,"id":"c"},{"id":"d","snr":-64,"rssi":1}]',
  '{"deviceId":"x","dbm":-70,"ts":1700000000}',
  '{"deviceId":"x","dbm":-70,"time":1700000000123.5}',
  '{"deviceId":"x","dbm":-70,"timestamp":"2026-01-01T00:00:00.123456Z"}',
  '{"deviceId":"x","dbm":-70,"at":"1700000000"}',
  '{"battery":3.3,"ok":true,"note":"n","none":null,"signalId":"s","rssi":-1,"snr":12}',
  `{"id":"a","rssi":${"1".repeat(15)}}`,
  '{"__proto__":1,"id":"a","rssi":-61}',
  `[${Array.from({ length: 500 }, (_, i) => `{"id":"s${i}","rssi":-${i}.${i}}`).join(",")}]`,
])("%s is read from its bytes as it is parsed", (text) => {
  const said = byBytes(text);
  expect(said).not.toBeNull();
  expect(said).toEqual(byParsing(text));
});

test.each([
  '[{"id":"a","rssi":-61},{"id":"b","rssi":-061}]',
  '[{"id":"a","rssi":-61},{"id":"b","rssi":-6.}]',
  '[{"id":"a","rssi":-61},{"id":"b","rssi":6e1}]',
  '[{"id":"a","rssi":-61},{"id":"b\\"","rssi":6}]',
  "",
  "[]",
  "{}",
  "null",
  "[1]",
  '[[{"id":"a","rssi":-61}]]',
  '{"id":"a","rssi":-61}}',
  '{"id":"a","rssi":-61},{"id":"b","rssi":-61}',
  '[{"id":"a","rssi":-61},]',
  '{"id":"a","rssi":-61,}',
  '{"id":"a","rssi":-061}',
  '{"id":"a","rssi":-}',
  '{"id":"a","rssi":6.}',
  '{"id":"a","rssi":.6}',
  '{"id":"a","rssi":+6}',
  '{"id":"a","rssi":6e1}',
  '{"id":"a","rssi":1234567890.1234567}',
  '{"id":"a","rssi":"-61"}',
  '{"id":7,"rssi":-61}',
  '{"id":"a","id":"b","rssi":-61}',
  '{"id":"a","signalId":"b","rssi":-61}',
  '{"id":"a","rssi":-61,"dbm":-60}',
  '{"id":"a","rssi":-61,"at":null}',
  '{"id":"a","rssi":-61,"at":"tomorrow"}',
  '{"id":"\\u0061","rssi":-61}',
  '{"id":"ä","rssi":-61}',
  '{"id":"a","rssi":-61,"more":{}}',
  '{"id":"a","rssi":-61,"more":[1]}',
  '{"id":"a","rssi":-61,"more":truth}',
  '{"id":"a\n","rssi":-61}',
])("%s is left to the parser", (text) => {
  expect(byBytes(text)).toBeNull();
});

test("whatever is read from its bytes means what it means when parsed, to the last bit", () => {
  const space = fc.stringMatching(/^[ \t\r\n]{0,2}$/);
  const key = fc.constantFrom(
    ..."signalId externalId signal id deviceId strength rssi dbm at ts time timestamp snr x __proto__".split(
      " ",
    ),
  );
  const number = fc.oneof(
    fc.integer({ min: -200, max: 60 }).map(String),
    fc.double({ min: -300, max: 100, noNaN: true }).map(String),
    fc.stringMatching(/^-?(0|[1-9]\d{0,16})(\.\d{1,17})?([eE][+-]?\d{1,3})?$/),
  );
  const text = fc.oneof(
    fc.string({ maxLength: 6 }).map((value) => JSON.stringify(value)),
    fc.constant('"a"'),
  );
  const value = fc.oneof(number, text, fc.constantFrom("true", "false", "null", "[]", "{}", "NaN", "tru"));
  const member = fc.tuple(space, key, space, space, value, space).map((part) => {
    const [a, name, b, c, given, d] = part;
    return `${a}"${name}"${b}:${c}${given}${d}`;
  });
  const plain = fc
    .tuple(fc.constantFrom('"id":"a"', '"signal":"b b"'), number, fc.array(member, { maxLength: 2 }))
    .map(([name, strength, more]) => `{${[name, `"rssi":${strength}`, ...more].join(",")}}`);
  const element = fc.oneof(
    plain,
    fc.array(member, { maxLength: 4 }).map((members) => `{${members.join(",")}}`),
  );
  const list = fc.array(fc.oneof({ weight: 9, arbitrary: plain }, element), { maxLength: 4 });
  const message = fc.oneof(
    element,
    list.map((elements) => `[${elements.join(",")}]`),
  );
  // Broken in one place, now and then.
  const damaged = fc
    .tuple(message, fc.nat(), fc.constantFrom("", ",", '"', "}", "\\", "0", "-"))
    .map(([whole, at, instead]) => {
      const place = at % (whole.length + 1);
      return whole.slice(0, place) + instead + whole.slice(place + 1);
    });
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof({ weight: 3, arbitrary: message }, damaged), (given) => {
      const said = byBytes(given);
      if (said === null) return;
      taken++;
      expect(said).toEqual(byParsing(given));
    }),
    { numRuns: Number(process.env.SCENARIOS ?? 4_000) },
  );
  expect(taken).toBeGreaterThan(100);
});

test("a time of any length is left to the parser", () => {
  const text = (length: number) =>
    `[{"id":"a","rssi":-61,"at":"${"x".repeat(length)}"},{"id":"b","rssi":-60}]`;
  expect(byBytes(text(900_000))).toBeNull();
});

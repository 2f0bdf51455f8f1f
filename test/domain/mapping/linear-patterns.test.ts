import type { JSONValue } from "json-p3";
import { describe, expect, test } from "vitest";
import { compilePath } from "../../../src/domain/mapping/path.ts";

const selects = (condition: string, value: JSONValue): boolean =>
  compilePath(`$[?${condition}]`).all([{ v: value }]).length === 1;

describe("match and search in a mapping's path", () => {
  test.each([
    ["match(@.v, 'rssi.*')", "rssi_dbm", true],
    ["match(@.v, 'rssi')", "rssi_dbm", false],
    ["search(@.v, 'dbm')", "rssi_dbm", true],
    ["search(@.v, '[0-9]{2}')", "a1b", false],
    ["match(@.v, 'a.b')", "a\rb", false],
    ["match(@.v, 'a.b')", "a\nb", false],
    ["match(@.v, 'a[.]b')", "a.b", true],
    ["match(@.v, 'a\\\\.b')", "axb", false],
    ["match(@.v, '(')", "(", false],
    ["match(@.v, '1')", 1, false],
  ])("%s of %j is %s", (condition, value, expected) => {
    expect(selects(condition, value)).toBe(expected);
  });

  test("take linear time for a pattern made to stall", () => {
    expect(selects("match(@.v, '(a+)+')", `${"a".repeat(20_000)}b`)).toBe(false);
    expect(selects("search(@.v, '(a|a)*c')", "a".repeat(20_000))).toBe(false);
  });
});

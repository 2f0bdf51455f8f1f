import { ClickHouseError } from "@clickhouse/client";
import { expect, test } from "vitest";
import { faultOf } from "../../../src/adapters/clickhouse/faults.ts";
import { TimeSeriesParseError, TimeSeriesUnavailableError } from "../../../src/ports/time-series.ts";

const thrown = (code: number, message = "what it says", type = "TYPE") =>
  new ClickHouseError({ code: String(code), message, type });
const system = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

test.each([
  [
    516,
    "credentials_refused",
    /^it refuses the user: check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD \(code 516/,
  ],
  [497, "not_permitted", /^the user may not do this: grant it/],
  [243, "disk_full", /^its disk is full: make room/],
  [241, "out_of_memory", /^it is short of memory/],
  [252, "merges_behind", /^its merges do not keep up/],
  [202, "busy", /^it is too busy/],
  [285, "replicas_missing", /start those that are down/],
  [242, "keeper_lost", /^it has lost its Keeper/],
  [60, "tables_missing", /^its tables are gone/],
  [115, "setting_unknown", /update it/],
  [1001, "failed", /^code 1001: what it says$/],
])("ClickHouse's code %i is %s, in words that say what to do", (code, name, words) => {
  const fault = faultOf(thrown(code));
  expect(fault.name).toBe(name);
  expect(fault.error).toBeInstanceOf(TimeSeriesUnavailableError);
  expect(fault.error.message).toMatch(words);
});

test.each([
  [system("ECONNREFUSED"), "unreachable"],
  [new Error("Timeout error."), "unreachable"],
  [system("DEPTH_ZERO_SELF_SIGNED_CERT"), "tls_failed"],
  [system("EPROTO"), "tls_failed"],
  [system("HPE_INVALID_CONSTANT"), "not_clickhouse"],
  [new SyntaxError("Unexpected token '<'"), "not_clickhouse"],
])("%o is %s", (error, name) => {
  expect(faultOf(error).name).toBe(name);
});

test("of a body that it cannot read nothing is repeated", () => {
  const { error } = faultOf(thrown(27, "Cannot parse input: expected '\\t' before: 'a customer\\'s row'"));
  expect(error).toBeInstanceOf(TimeSeriesParseError);
  expect(error.message).toBe("code 27 (TYPE)");
});

test("of a long text the first line stands in a message, cut", () => {
  const { error } = faultOf(thrown(1001, `${"x".repeat(1_000)}\nsecond line`));
  expect(error.message.length).toBeLessThan(350);
  expect(error.message).not.toContain("second");
});

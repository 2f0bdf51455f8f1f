import { describe, expect, test } from "vitest";
import { UsageError } from "../../src/cli/context.ts";
import { moment } from "../../src/cli/moment.ts";

const NOW = Date.UTC(2026, 0, 31, 9, 30);

describe("a moment on the command line", () => {
  test.each([
    ["2026-01-30T08:00:00Z", "2026-01-30T08:00:00.000Z"],
    ["2026-01-30T08:00:00+02:00", "2026-01-30T06:00:00.000Z"],
    ["2026-01-30", "2026-01-30T00:00:00.000Z"],
    ["now", "2026-01-31T09:30:00.000Z"],
    ["30d", "2026-01-01T09:30:00.000Z"],
    ["90m", "2026-01-31T08:00:00.000Z"],
    ["12h", "2026-01-30T21:30:00.000Z"],
    ["15s", "2026-01-31T09:29:45.000Z"],
  ])("may be written as %s", (written, meant) => {
    expect(moment("--from", written, NOW)).toBe(meant);
  });

  test.each(["", "soon", "30 days", "d", "-1d", "1.5h", "99999999d"])("is not %o", (written) => {
    expect(() => moment("--from", written, NOW)).toThrow(UsageError);
  });
});

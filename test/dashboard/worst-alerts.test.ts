import { expect, test } from "vitest";
import type { Severity } from "../../src/dashboard/api/queries.ts";
import { worstAlerts } from "../../src/dashboard/api/worst-alerts.ts";

const MAX = 3;
const SEVERITIES: readonly Severity[] = ["critical", "warning", "info"];

/** Answers of a service at which these fire, the newest first, and what was asked of it. */
const serviceOf = (ids: readonly string[]) => {
  const asked: (Severity | undefined)[] = [];
  const page = async (severity?: Severity) => {
    asked.push(severity);
    const found = ids.filter((id) => severity === undefined || id.startsWith(severity));
    return {
      alerts: found.slice(0, MAX).map((id) => ({ id })),
      nextCursor: found.length > MAX ? "on" : null,
    };
  };
  return { asked, page };
};

test("what is not more than is shown is asked for at once, and is whole", async () => {
  const { asked, page } = serviceOf(["info 1", "critical 1"]);
  const { alerts, isWhole } = await worstAlerts(MAX, page);
  expect(alerts.map(({ id }) => id)).toEqual(["info 1", "critical 1"]);
  expect(isWhole).toBe(true);
  expect(asked).toEqual([undefined]);
});

test("of more than are shown the worst are, however old they are", async () => {
  const { asked, page } = serviceOf(["info 1", "info 2", "warning 1", "info 3", "warning 2", "critical 1"]);
  const { alerts, isWhole } = await worstAlerts(MAX, page);
  expect(alerts.map(({ id }) => id)).toEqual(["critical 1", "warning 1", "warning 2"]);
  expect(isWhole).toBe(false);
  expect(asked).toEqual([undefined, ...SEVERITIES]);
});

test("one that becomes worse while it is asked for is there once, and those that end are not counted", async () => {
  const pages = new Map<Severity | undefined, readonly string[]>([
    ["critical", ["a"]],
    ["warning", ["a", "b"]],
  ]);
  const { alerts, isWhole } = await worstAlerts(MAX, async (severity) => ({
    alerts: (pages.get(severity) ?? []).map((id) => ({ id })),
    nextCursor: severity === undefined ? "on" : null,
  }));
  expect(alerts.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(isWhole).toBe(true);
});

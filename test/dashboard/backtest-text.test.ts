import { beforeAll, expect, test } from "vitest";
import { pretendBrowser } from "./browser.ts";

let backtestText: typeof import("../../src/dashboard/pages/alerts/backtest-text.ts").backtestText;
beforeAll(async () => {
  pretendBrowser();
  ({ backtestText } = await import("../../src/dashboard/pages/alerts/backtest-text.ts"));
});

/** A try of the last day on ten signals, of which as many firings are told as there are, or fewer. */
const tried = (firings: number, told: number) => ({
  span: "24h" as const,
  from: "2026-01-01T00:00:00.000Z",
  to: "2026-01-02T00:00:00.000Z",
  firings: Array.from({ length: told }, () => ({
    signalId: "one",
    from: "2026-01-01T12:00:00.000Z",
    to: "2026-01-01T12:12:00.000Z",
    severity: "warning" as const,
    worst: -93.5,
    steps: [],
    stepCount: 0,
  })),
  summary: {
    firings,
    severities: { info: 0, warning: firings, critical: 0 },
    stepsUp: 0,
    stepsDown: 0,
    signals: Math.min(1, firings),
    selected: 10,
    readings: 1_000,
    flapping: [],
  },
  warnings: [],
});

test("what came of a rule is told with how far back it was tried", () => {
  expect(backtestText(tried(0, 0))).toBe("24h: 0 firings on 0 of 10 signals");
  expect(backtestText(tried(2, 2))).toBe("24h: 2 firings on 1 of 10 signals, longest 12 min");
});

test("where there is no signal, it is said that there is none, and not that nothing fires", () => {
  const one = tried(0, 0);
  expect(backtestText({ ...one, summary: { ...one.summary, selected: 0 } })).toBe(
    "There is no signal to try it on yet.",
  );
});

test("where not every firing is told, the longest of those that are is said to be no more than that", () => {
  expect(backtestText(tried(1_200, 2))).toMatch(/ on 1 of 10 signals, longest at least 12 min$/);
});

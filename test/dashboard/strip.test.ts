import { expect, test } from "vitest";
import { stripOf } from "../../src/dashboard/pages/signal/strip.ts";

const range = { fromMs: 0, toMs: 100, isLive: false };

test("without events all was as it is now", () => {
  expect(stripOf([], range, "paused")).toEqual([{ fromMs: 0, toMs: 100, status: "paused" }]);
});

test("a strip begins as the first event says it was before", () => {
  const events = [
    { atMs: 10, status: "failed", before: "active" },
    { atMs: 40, status: "failed", before: undefined },
    { atMs: 60, status: "active", before: "failed" },
  ] as const;
  expect(stripOf(events, range, "active")).toEqual([
    { fromMs: 0, toMs: 10, status: "active" },
    { fromMs: 10, toMs: 60, status: "failed" },
    { fromMs: 60, toMs: 100, status: "active" },
  ]);
});

test("changes at one moment leave no stretch of no length", () => {
  const events = [
    { atMs: 0, status: "failed", before: "active" },
    { atMs: 0, status: "active", before: "failed" },
    { atMs: 50, status: "failed", before: "active" },
  ] as const;
  expect(stripOf(events, range, "failed")).toEqual([
    { fromMs: 0, toMs: 50, status: "active" },
    { fromMs: 50, toMs: 100, status: "failed" },
  ]);
});

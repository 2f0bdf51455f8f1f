import { describe, expect, test } from "vitest";
import { stripOf } from "../../src/dashboard/pages/signal/strip.ts";

const range = { fromMs: 0, toMs: 100 };
const told = (
  events: Parameters<typeof stripOf>[0]["events"],
  ending: "active" | "paused" | null = null,
) => ({
  events,
  unread: null,
  ending,
});

describe("without events in a time", () => {
  test("all of it was as it was at its end", () => {
    expect(stripOf(told([], "paused"), range)).toEqual([{ fromMs: 0, toMs: 100, status: "paused" }]);
  });

  test("it was as the newest event before it says, whatever came later", () => {
    const events = [{ atMs: -40, status: "failed", before: "active" }] as const;
    expect(stripOf(told(events, "active"), range)).toEqual([{ fromMs: 0, toMs: 100, status: "failed" }]);
  });

  test("nothing is said of it where nothing tells", () => {
    expect(stripOf(told([]), range)).toEqual([{ fromMs: 0, toMs: 100, status: null }]);
  });
});

test("a strip begins as the first event says it was before", () => {
  const events = [
    { atMs: 10, status: "failed", before: "active" },
    { atMs: 40, status: "failed", before: "failed" },
    { atMs: 60, status: "active", before: "failed" },
  ] as const;
  expect(stripOf(told(events, "paused"), range)).toEqual([
    { fromMs: 0, toMs: 10, status: "active" },
    { fromMs: 10, toMs: 60, status: "failed" },
    { fromMs: 60, toMs: 100, status: "active" },
  ]);
});

test("before there was the signal it was nothing", () => {
  const events = [{ atMs: 30, status: "active", before: null }] as const;
  expect(stripOf(told(events), range)).toEqual([
    { fromMs: 0, toMs: 30, status: null },
    { fromMs: 30, toMs: 100, status: "active" },
  ]);
});

test("changes at one moment leave no stretch of no length, and those after the end none at all", () => {
  const events = [
    { atMs: 0, status: "failed", before: "active" },
    { atMs: 0, status: "active", before: "failed" },
    { atMs: 50, status: "failed", before: "active" },
    { atMs: 120, status: "active", before: "failed" },
  ] as const;
  expect(stripOf(told(events), range)).toEqual([
    { fromMs: 0, toMs: 50, status: "active" },
    { fromMs: 50, toMs: 100, status: "failed" },
  ]);
});

describe("where events were not read", () => {
  const events = [
    { atMs: 10, status: "failed", before: "active" },
    { atMs: 80, status: "active", before: "failed" },
  ] as const;

  test("nothing is said, and what comes after begins as its first event says", () => {
    const unread = { fromMs: 20, toMs: 70 };
    expect(stripOf({ events, unread, ending: null }, range)).toEqual([
      { fromMs: 0, toMs: 10, status: "active" },
      { fromMs: 10, toMs: 20, status: "failed" },
      { fromMs: 20, toMs: 70, status: null },
      { fromMs: 70, toMs: 80, status: "failed" },
      { fromMs: 80, toMs: 100, status: "active" },
    ]);
  });

  test("and nothing comes after, that was as at the end", () => {
    const unread = { fromMs: 20, toMs: 90 };
    expect(stripOf({ events: events.slice(0, 1), unread, ending: "paused" }, range).slice(2)).toEqual([
      { fromMs: 20, toMs: 90, status: null },
      { fromMs: 90, toMs: 100, status: "paused" },
    ]);
  });

  test("in a time that is over by now, it does not show", () => {
    const unread = { fromMs: -50, toMs: -20 };
    expect(stripOf({ events, unread, ending: null }, range).map(({ status }) => status)).toEqual([
      "active",
      "failed",
      "active",
    ]);
  });
});

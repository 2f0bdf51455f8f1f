import { expect, test } from "vitest";
import { sourceEveryMs } from "../../src/dashboard/api/source-pace.ts";

test("a source that begins is asked for every second, until its first message", () => {
  const lastMessageAt = "2026-01-31T09:30:00.000Z";
  expect(sourceEveryMs({ state: "connecting", lastMessageAt: null })).toBe(1_000);
  expect(sourceEveryMs({ state: "connecting", lastMessageAt })).toBe(1_000);
  expect(sourceEveryMs({ state: "connected", lastMessageAt: null })).toBe(1_000);
  expect(sourceEveryMs({ state: "connected", lastMessageAt })).toBe(5_000);
  expect(sourceEveryMs({ state: "failed", lastMessageAt: null })).toBe(5_000);
  expect(sourceEveryMs(undefined)).toBe(5_000);
});

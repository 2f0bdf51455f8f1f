import { beforeAll, expect, test } from "vitest";
import { pretendBrowser } from "./browser.ts";

let stripText: typeof import("../../src/dashboard/pages/signal/strip-text.ts").stripText;
beforeAll(async () => {
  pretendBrowser();
  ({ stripText } = await import("../../src/dashboard/pages/signal/strip-text.ts"));
});

test("a strip says in words what its colours say, the worst first", () => {
  const MINUTE_MS = 60_000;
  const stretch = (from: number, to: number, status: "active" | "failed" | "paused" | null) => ({
    fromMs: from * MINUTE_MS,
    toMs: to * MINUTE_MS,
    status,
  });
  expect(
    stripText([
      stretch(0, 5, null),
      stretch(5, 10, "active"),
      stretch(10, 14, "failed"),
      stretch(14, 20, "paused"),
      stretch(20, 28, "failed"),
      stretch(28, 60, "active"),
    ]),
  ).toBe("failed 2 times, 12 min together; paused once, 6 min; not known for 5 min; active for 37 min");
  expect(stripText([stretch(0, 60, "active")])).toBe("active all the time");
  expect(stripText([])).toBe("");
});

import { beforeAll, expect, test } from "vitest";
import { pretendBrowser } from "./browser.ts";

let words: typeof import("../../src/dashboard/app/words.ts");
let comparedText: typeof import("../../src/dashboard/pages/alerts/words.ts").comparedText;
beforeAll(async () => {
  pretendBrowser();
  words = await import("../../src/dashboard/app/words.ts");
  ({ comparedText } = await import("../../src/dashboard/pages/alerts/words.ts"));
});

test("what is below zero has a minus, U+2212, as the service's own sentences have", () => {
  expect([words.dbmText(-50), words.numberText(-90), words.decimalText(-0.125, 2)]).toEqual([
    "\u221250.0 dBm",
    "\u221290",
    "\u22120.13",
  ]);
  expect(comparedText({ metric: "strength", operator: "change" }, -6)).toBe("\u22126.0 dB");
});

test("what rounds to nothing has no sign", () => {
  expect([words.decimalText(-0.001, 2), words.dbmText(-0.04)]).toEqual(["0.00", "0.0 dBm"]);
});

import { expect, test } from "vitest";
import { currentOf } from "../../src/dashboard/parts/current-tab.ts";

const TABS = ["/alerts", "/alerts/rules", "/alerts/silences"];

test("a page is of the tab that it is, or of the nearest one that it is under", () => {
  const paths = ["/alerts", "/alerts/alt_1", "/alerts/rules", "/alerts/rules/new", "/alerts/silences/new"];
  expect(paths.map((path) => currentOf(TABS, path))).toEqual([
    "/alerts",
    "/alerts",
    "/alerts/rules",
    "/alerts/rules",
    "/alerts/silences",
  ]);
  expect(currentOf(TABS, "/alerts-of-old")).toBeUndefined();
});

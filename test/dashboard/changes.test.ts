import { expect, test } from "vitest";
import packageFile from "../../package.json" with { type: "json" };
import { CHANGES } from "../../src/dashboard/pages/settings/changes.ts";

test("the version that runs is the newest of those whose changes are shown", () => {
  expect(CHANGES[0]?.version).toBe(packageFile.version);
});

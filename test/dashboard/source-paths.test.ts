import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { previewOf } from "../../src/dashboard/pages/settings/mapping-preview.ts";
import { pathsOf, pathText } from "../../src/dashboard/pages/settings/source-paths.ts";

const NOW = Date.UTC(2026, 0, 1);

test("a value's path is one that the service reads, whatever names are in it", () => {
  expect(pathText("$", ["a", 0, "b c", "it's", "back\\slash", ""])).toBe(
    "$.a[0]['b c']['it\\'s']['back\\\\slash']['']",
  );
});

test("values beside each other are a reading", () => {
  const paths = pathsOf({ signal: ["device"], strength: ["radio", "rssi"], at: ["time"] });
  expect(paths).toEqual({ signal: "$.device", strength: "$.radio.rssi", at: "$.time" });
  expect(pathsOf({ signal: ["device"] })).toBeNull();
});

test("a strength in a list stands for each of the list, and what is beside the list for all of them", () => {
  const paths = pathsOf({
    signal: ["gateways", 1, "id"],
    strength: ["gateways", 1, "rssi"],
    at: ["time"],
  });
  expect(paths).toEqual({ each: "$.gateways[*]", signal: "$.id", strength: "$.rssi", at: "$$.time" });
});

test("a list in a list is gone through at its innermost", () => {
  const paths = pathsOf({ signal: ["a", 0, "name"], strength: ["a", 0, "b", 2, "dbm"] });
  expect(paths).toEqual({ each: "$.a[0].b[*]", signal: "$$.a[0].name", strength: "$.dbm" });
});

test("a message that is a list itself", () => {
  expect(pathsOf({ signal: [0, "id"], strength: [0, "dbm"] })).toEqual({
    each: "$[*]",
    signal: "$.id",
    strength: "$.dbm",
  });
});

test("pointing at values of messages makes readings of them, by the code that ingests", () => {
  const message = {
    time: "2026-01-01T00:00:00Z",
    "the sites": [
      { n: "a", "r x": -70 },
      { n: "b", "r x": -80.5 },
    ],
  };
  const paths = pathsOf({
    signal: ["the sites", 0, "n"],
    strength: ["the sites", 0, "r x"],
    at: ["time"],
  });
  if (paths === null) throw new Error("no paths");
  expect(previewOf(paths, [JSON.stringify(message), "{ cut", '{"other":1}'], NOW)).toEqual({
    readings: [
      { name: "a", atMs: NOW, strength: -70 },
      { name: "b", atMs: NOW, strength: -80.5 },
    ],
    rejections: [],
    skipped: 1,
    unread: 1,
  });
});

test("a path that cannot be is told in the service's own words", () => {
  expect(previewOf({ signal: "$.a", strength: "$.b[" }, ["{}"], NOW)).toMatch(/\S/);
});

test("nothing of the preview is Node's own", async () => {
  const read = (path: string) =>
    readFile(new URL(`../../src/domain/mapping/${path}`, import.meta.url), "utf8");
  for (const path of ["compile.ts", "outcome.ts", "paths-mapping.ts", "default-preset.ts"])
    expect(await read(path)).not.toMatch(/node:/);
});

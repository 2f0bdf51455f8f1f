import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { previewOf } from "../../src/dashboard/pages/settings/mapping-preview.ts";
import {
  type Part,
  type Paths,
  type Place,
  partsOf,
  pathText,
  pointedAt,
} from "../../src/dashboard/pages/settings/source-paths.ts";

const NOW = Date.UTC(2026, 0, 1);
const NONE: Paths = { each: "", signal: "", strength: "", at: "" };

/** The paths after somebody has pointed at one value after the other. */
const after = (
  message: Parameters<typeof pointedAt>[0],
  steps: readonly (readonly [Part, Place])[],
  from = NONE,
): Paths => steps.reduce((paths, [part, place]) => pointedAt(message, paths, part, place), from);

const GATEWAYS = {
  time: "2026-01-01T00:00:00Z",
  site: "north",
  gateways: [
    { id: "a", rssi: -70, heard: "2026-01-01T00:00:01Z" },
    { id: "b", rssi: -80.5, heard: "2026-01-01T00:00:02Z" },
  ],
  sum: { rssi: -75 },
};
const SAVED: Paths = { each: "$.gateways[*]", signal: "$.id", strength: "$.rssi", at: "$.heard" };

test("a value's path is one that the service reads, whatever names are in it", () => {
  expect(pathText("$", ["a", 0, "b c", "it's", "back\\slash", ""])).toBe(
    "$.a[0]['b c']['it\\'s']['back\\\\slash']['']",
  );
});

test("values beside each other are a reading", () => {
  const message = { device: "d", radio: { rssi: -60 }, time: 1 };
  const steps = [
    ["signal", ["device"]],
    ["strength", ["radio", "rssi"]],
    ["at", ["time"]],
  ] as const;
  expect(after(message, steps)).toEqual({
    each: "",
    signal: "$.device",
    strength: "$.radio.rssi",
    at: "$.time",
  });
  expect(after(message, steps.slice(0, 1))).toEqual({ ...NONE, signal: "$.device" });
});

test("a strength in a list stands for each of the list, and what is beside the list for all of them", () => {
  const wanted = { each: "$.gateways[*]", signal: "$.id", strength: "$.rssi", at: "$$.time" };
  const steps = [
    ["signal", ["gateways", 1, "id"]],
    ["strength", ["gateways", 1, "rssi"]],
    ["at", ["time"]],
  ] as const;
  expect(after(GATEWAYS, steps)).toEqual(wanted);
  expect(after(GATEWAYS, steps.toReversed())).toEqual(wanted);
});

test("a list in a list is gone through at its innermost", () => {
  const message = { a: [{ name: "x", b: [{ dbm: -1 }, { dbm: -2 }, { dbm: -3 }] }] };
  const steps = [
    ["signal", ["a", 0, "name"]],
    ["strength", ["a", 0, "b", 2, "dbm"]],
  ] as const;
  expect(after(message, steps)).toEqual({
    each: "$.a[0].b[*]",
    signal: "$$.a[0].name",
    strength: "$.dbm",
    at: "",
  });
});

test("a message that is a list itself is gone through without being told so", () => {
  const message = [{ id: "a", dbm: -60 }];
  const steps = [
    ["signal", [0, "id"]],
    ["strength", [0, "dbm"]],
  ] as const;
  expect(after(message, steps)).toEqual({ each: "", signal: "$.id", strength: "$.dbm", at: "" });
});

test("one value of what is saved is pointed at, and all else of it stays", () => {
  expect(after(GATEWAYS, [["at", ["time"]]], SAVED)).toEqual({ ...SAVED, at: "$$.time" });
  expect(after(GATEWAYS, [["signal", ["site"]]], SAVED)).toEqual({ ...SAVED, signal: "$$.site" });
  const again = [
    ["signal", ["gateways", 1, "id"]],
    ["strength", ["gateways", 0, "rssi"]],
  ] as const;
  expect(after(GATEWAYS, again, SAVED)).toEqual(SAVED);
});

test("a list that is chosen by a filter stays chosen so", () => {
  const filtered = { ...SAVED, each: "$.gateways[?@.rssi < -75]", signal: "{$$.site}/{$.id}", at: "" };
  expect(after(GATEWAYS, [["at", ["gateways", 1, "heard"]]], filtered)).toEqual({
    ...filtered,
    at: "$.heard",
  });
  expect(after(GATEWAYS, [["strength", ["gateways", 1, "rssi"]]], filtered)).toEqual(filtered);
});

test("what a new strength makes wrong is gone, and only that", () => {
  expect(after(GATEWAYS, [["strength", ["sum", "rssi"]]], SAVED)).toEqual({
    ...NONE,
    strength: "$.sum.rssi",
  });
  const fixed = { ...SAVED, signal: "desk", at: "$$.time" };
  expect(after(GATEWAYS, [["strength", ["sum", "rssi"]]], fixed)).toEqual({
    each: "",
    signal: "desk",
    strength: "$.sum.rssi",
    at: "$$.time",
  });
  const flat = { each: "", signal: "$.site", strength: "$.sum.rssi", at: "$.time" };
  expect(after(GATEWAYS, [["strength", ["gateways", 0, "rssi"]]], flat)).toEqual({
    each: "$.gateways[*]",
    signal: "$$.site",
    strength: "$.rssi",
    at: "$$.time",
  });
});

test("a value is one thing only", () => {
  expect(after(GATEWAYS, [["signal", ["gateways", 1, "rssi"]]], SAVED)).toEqual({
    ...SAVED,
    signal: "$.rssi",
    strength: "",
  });
});

test("what a mapping reads is marked in every message, as it is typed", () => {
  expect([...partsOf(GATEWAYS, SAVED)]).toEqual([
    ["$.gateways[0].id", "signal"],
    ["$.gateways[0].rssi", "strength"],
    ["$.gateways[0].heard", "at"],
    ["$.gateways[1].id", "signal"],
    ["$.gateways[1].rssi", "strength"],
    ["$.gateways[1].heard", "at"],
  ]);
  const typed = { ...SAVED, signal: "{$$.site}/{$.id}", strength: "$['rssi']", at: "$.he[" };
  expect([...partsOf(GATEWAYS, typed).keys()]).toEqual(["$.gateways[0].rssi", "$.gateways[1].rssi"]);
  expect([...partsOf({ other: 1 }, SAVED)]).toEqual([]);
  expect([...partsOf(GATEWAYS, { ...SAVED, each: "$.gate[" })]).toEqual([]);
});

test("pointing at values of messages makes readings of them, by the code that ingests", () => {
  const message = {
    time: "2026-01-01T00:00:00Z",
    "the sites": [
      { n: "a", "r x": -70 },
      { n: "b", "r x": -80.5 },
    ],
  };
  const { each, signal, strength, at } = after(message, [
    ["signal", ["the sites", 0, "n"]],
    ["strength", ["the sites", 0, "r x"]],
    ["at", ["time"]],
  ]);
  const payloads = [JSON.stringify(message), "{ cut", '{"other":1}'];
  expect(previewOf({ each, signal, strength, at }, payloads, NOW)).toEqual({
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

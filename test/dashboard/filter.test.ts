import { expect, test } from "vitest";
import { labelTyped, signalFilter } from "../../src/dashboard/pages/signals/filter.ts";

test("a label is a name and a value, however they are typed", () => {
  expect(labelTyped("site:north")).toBe("site:north");
  expect(labelTyped(" site = north wing ")).toBe("site:north wing");
  expect(labelTyped("url=http://a:1/?b=c")).toBe("url:http://a:1/?b=c");
  expect(labelTyped("at:a=b")).toBe("at:a=b");
  expect(labelTyped("site:")).toBe("site:");
});

test("what is no label is refused", () => {
  for (const typed of ["", "north", ":north", "=north", "1st:a", "a b:c"])
    expect([typed, labelTyped(typed)]).toEqual([typed, null]);
});

test("labels of the address are those that were typed", () => {
  const label = ["site:north", "floor:2"];
  expect(signalFilter({ label, q: "" })).toEqual({ label });
  expect(signalFilter({ label: "site:north" })).toEqual({ label: ["site:north"] });
  expect(signalFilter({ label: ["north", 5] })).toEqual({});
  const source = "src_01JDA2V3Q8R5T7W9Y1B3D5F7H9";
  expect(signalFilter({ source })).toEqual({ source });
  expect(signalFilter({ source: "mast" })).toEqual({});
});

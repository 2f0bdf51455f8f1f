import { expect, test } from "vitest";
import { toldParts } from "../../src/dashboard/parts/told-text.ts";

const ULID = "01JDA2V3Q8R5T7W9Y1B3D5F7H9";
const text = (words: string) => ({ kind: "text", text: words });

test("moments and ids in a sentence of the service's are parts of it", () => {
  const at = "2026-11-24T09:26:32.841Z";
  expect(toldParts(`It fired, from ${at} on. The newest reading then: \u221268.9 dBm.`)).toEqual([
    text("It fired, from "),
    { kind: "moment", atMs: Date.parse(at) },
    text(" on. The newest reading then: \u221268.9 dBm."),
  ]);
  expect(toldParts(`src_${ULID}, and this one is of src_${ULID}.`)).toEqual([
    { kind: "source", id: `src_${ULID}` },
    text(", and this one is of "),
    { kind: "source", id: `src_${ULID}` },
    text("."),
  ]);
});

test("each kind of what has a page is known by its id", () => {
  const ids = ["sig", "src", "rul", "whk", "sil"].map((prefix) => `${prefix}_${ULID}`);
  expect(toldParts(ids.join(" ")).flatMap((part) => (part.kind === "text" ? [] : [part.kind]))).toEqual([
    "signal",
    "source",
    "rule",
    "webhook",
    "silence",
  ]);
});

test("all else stays as it is", () => {
  for (const words of [
    "It does not fire.",
    "src_short",
    `other_src_${ULID}`,
    `src_${ULID}0`,
    "2026-99-99T99:99:99Z",
    `key_${ULID} acknowledged the alert.`,
  ])
    expect(toldParts(words)).toEqual([text(words)]);
  expect(toldParts("")).toEqual([]);
});

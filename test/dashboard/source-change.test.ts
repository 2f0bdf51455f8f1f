import { expect, test } from "vitest";
import { SourcePatch } from "../../schemas/source.ts";
import { changeOf, patchOf } from "../../src/dashboard/pages/settings/source-change.ts";
import { withStep } from "../../src/dashboard/pages/settings/source-draft.ts";

const feed = { name: "feed", unknownSignals: "create", url: "wss://feed.example/readings?key=***" } as const;

test("only what was changed of a source is sent, so that what is sealed stays", () => {
  const start = changeOf(feed);
  expect(patchOf(start, start)).toEqual({});
  expect(patchOf(start, { ...start, headers: " \n", name: "mast" })).toEqual({ name: "mast" });
  expect(patchOf(start, { ...start, url: "wss://feed.example/new", creates: false })).toEqual({
    url: "wss://feed.example/new",
    unknownSignals: "reject",
  });
  const handshake = withStep([], "send").map((step) => ({ ...step, text: "hello" }));
  const patch = patchOf(start, { ...start, headers: "Authorization: Bearer a:b\nX-Key: c", handshake });
  expect(SourcePatch.parse(patch)).toEqual({
    headers: { Authorization: "Bearer a:b", "X-Key": "c" },
    handshake: [{ send: "hello" }],
  });
});

test("how often an address is asked is sent as a number", () => {
  const start = changeOf({ ...feed, url: "https://feed.example/readings", intervalSeconds: 10 });
  expect(start.intervalSeconds).toBe("10");
  expect(patchOf(start, { ...start, intervalSeconds: "2.5" })).toEqual({ intervalSeconds: 2.5 });
});

test("what has no address is called and counted only", () => {
  const start = changeOf({ name: "lorawan", unknownSignals: "reject" });
  expect(patchOf(start, { ...start, name: "gateway" })).toEqual({ name: "gateway" });
});

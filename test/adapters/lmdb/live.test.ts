import { expect, it } from "vitest";
import { LIVE_RETENTION_MS } from "../../../src/ports/event-log.ts";
import { numbered, take, texts } from "../../conformance/event-log/reading.ts";
import { ManualClock } from "../../support/clock.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { openTestLog } from "../../support/lmdb-log.ts";

it("keeps live records for 60 s", async () => {
  const clock = new ManualClock();
  const log = await openTestLog({ directory: await temporaryDirectory(), clock });
  await log.append("live", numbered("old", 3));
  clock.advance(LIVE_RETENTION_MS);
  await log.append("live", numbered("new", 2));
  expect(await log.bounds("live")).toEqual([{ partition: 0, earliest: 0, end: 5 }]);
  clock.advance(1);
  expect(await log.bounds("live")).toEqual([{ partition: 0, earliest: 3, end: 5 }]);
  expect(texts(await take(log, "live", 2))).toEqual(["new0", "new1"]);
  clock.advance(LIVE_RETENTION_MS);
  expect(await log.bounds("live")).toEqual([{ partition: 0, earliest: 5, end: 5 }]);
  await log.close();
});

it("keeps at most 16 MiB of live records", async () => {
  const log = await openTestLog({ directory: await temporaryDirectory() });
  const value = new Uint8Array(2 ** 20);
  for (let i = 0; i < 80; i++) await log.append("live", [{ value }]);
  const [bounds] = await log.bounds("live");
  expect(bounds?.end).toBe(80);
  expect(bounds?.earliest).toBe(80 - 15);
  await log.close();
});

it("takes a copy of a live record's value: its owner may use the memory again at once", async () => {
  const log = await openTestLog({ directory: await temporaryDirectory() });
  const value = Buffer.from("mine");
  await log.append("live", [{ value }]);
  value.fill(0);
  expect(texts(await take(log, "live", 1))).toEqual(["mine"]);
  await log.close();
});

it("starts live at offset 0 again after a restart, whatever a group had committed", async () => {
  const directory = await temporaryDirectory();
  const log = await openTestLog({ directory });
  await log.append("live", numbered("a", 5));
  const committed = Promise.withResolvers<void>();
  await log.consume({
    group: "g",
    topic: "live",
    assigned: async ({ commit }) => ({
      startAt: 0,
      records: async () => commit(5).then(committed.resolve),
      revoked: async () => undefined,
    }),
  });
  await committed.promise;
  await log.close();
  const again = await openTestLog({ directory });
  expect(await again.committed("g", "live")).toEqual(new Map());
  expect((await again.append("live", numbered("b", 1)))[0]?.offset).toBe(0);
  await again.close();
});

import { expect, it } from "vitest";
import { LogLayoutError } from "../../../src/adapters/lmdb/facts.ts";
import { collect, numbered, take, texts } from "../../conformance/event-log/reading.ts";
import { ManualClock } from "../../support/clock.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { openTestLog } from "../../support/lmdb-log.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

it("refuses another partition count, names both and what to do, and leaves the data as they are", async () => {
  const directory = await temporaryDirectory();
  const made = await openTestLog({ directory, partitions: { readings: 8 } });
  await made.append("readings", numbered("a", 2, 7));
  await made.close();

  const wrong = openTestLog({ directory, partitions: { readings: 4 } });
  await expect(wrong).rejects.toThrow(LogLayoutError);
  await expect(wrong).rejects.toThrow(
    /was made with 8 partitions of topic readings, not 4: start with PARTITIONS=8/,
  );

  const again = await openTestLog({ directory, partitions: { readings: 8 } });
  expect(again.logId).toBe(made.logId);
  expect(texts(await take(again, "readings", 2, { partition: 7 }))).toEqual(["a0", "a1"]);
  await again.close();
});

it("refuses a second member of a group on the same topic, and only that", async () => {
  const log = await openTestLog({ directory: await temporaryDirectory() });
  const first = await collect(log, { group: "g", topic: "readings" });
  await expect(collect(log, { group: "g", topic: "readings" })).rejects.toThrow(
    "group g already reads topic readings in this process",
  );
  for (const other of [
    { group: "h", topic: "readings" },
    { group: "g", topic: "events" },
  ] as const)
    await (await collect(log, other)).member.stop();
  await first.member.stop();
  await log.close();
});

it("stops members and ends on disk what was appended when it is closed", async () => {
  const directory = await temporaryDirectory();
  const log = await openTestLog({ directory });
  const seen = await collect(log, { group: "g", topic: "readings" });
  await until("the assignment", () => seen.assignments.size === 1);
  const appended = log.append("readings", numbered("a", 5));
  await Promise.all([log.close(), log.close()]);
  expect(await appended).toHaveLength(5);
  expect(seen.revoked).toEqual([0]);
  const again = await openTestLog({ directory });
  expect(await again.bounds("readings")).toEqual([{ partition: 0, earliest: 0, end: 5 }]);
  await again.close();
});

it("lets append times of a partition not fall when the machine's clock does", async () => {
  const directory = await temporaryDirectory();
  const late = await openTestLog({ directory, clock: new ManualClock(2_000_000) });
  const [before] = await late.append("readings", numbered("a", 1));
  await late.trim("readings", 0, 1);
  await late.close();
  const early = await openTestLog({ directory, clock: new ManualClock(1_000_000) });
  const [after] = await early.append("readings", numbered("b", 1));
  const [other] = await early.append("events", numbered("c", 1));
  expect([before?.appendedAt, after?.appendedAt, other?.appendedAt]).toEqual([
    2_000_000, 2_000_000, 1_000_000,
  ]);
  await early.close();
});

it("forgets a tombstone a day later, at the next opening", async () => {
  const directory = await temporaryDirectory();
  const clock = new ManualClock();
  const log = await openTestLog({ directory, clock });
  await log.append("sources", [{ key: "src_a", value: Buffer.from("a1") }]);
  await log.append("sources", [{ key: "src_b", value: Buffer.from("b1") }]);
  await log.append("sources", [{ key: "src_a", value: new Uint8Array() }]);
  await log.close();
  const soon = await openTestLog({ directory, clock });
  expect((await take(soon, "sources", 2)).map(({ key }) => key)).toEqual(["src_b", "src_a"]);
  await soon.close();
  clock.advance(24 * 3_600_000 + 1);
  const later = await openTestLog({ directory, clock });
  expect(await later.bounds("sources")).toEqual([{ partition: 0, earliest: 1, end: 3 }]);
  expect((await take(later, "sources", 1)).map(({ key }) => key)).toEqual(["src_b"]);
  const [place] = await later.append("sources", [{ key: "src_a", value: Buffer.from("a2") }]);
  expect(place?.offset).toBe(3);
  await later.close();
});

it("tells its metrics what it stored, and how often it refused", async () => {
  const telemetry = testTelemetry();
  const directory = await temporaryDirectory();
  const log = await openTestLog({ directory, telemetry, maxBytes: 1_000_000 });
  for (let i = 0; i < 12; i++)
    await log
      .append("readings", [{ value: new Uint8Array(100_000) }], { bounded: true })
      .catch((error: unknown) => expect(error).toHaveProperty("name", "LogFullError"));
  const { text } = await telemetry.metrics.expose();
  expect(text).toMatch(/^log_full_total [1-9]/m);
  expect(text).toMatch(/^log_appends_total{topic="readings"} 10$/m);
  expect(text).toMatch(/^log_append_seconds_count 10$/m);
  expect(Number(/^log_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1_000_000);
  await log.close();
});

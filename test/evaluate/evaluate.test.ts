import { describe, expect, test } from "vitest";
import { decodeLive, readLivePlace } from "../../src/domain/live.ts";
import { partitionOf } from "../../src/domain/partition.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { changeRecord, probeRecord, readProbeAnswer } from "../../src/domain/records.ts";
import { newestOfBucket } from "../../src/domain/snapshot.ts";
import { type EventLog, GROUPS, LogUnavailableError } from "../../src/ports/event-log.ts";
import { allRecords, openTestControl, openTestEngines } from "../support/engines.ts";
import { allEvaluated, change, eventsOnce, faulty, read, start, watchedSeals } from "../support/evaluate.ts";
import { assigning, doubtful } from "../support/faulty-log.ts";
import { accountId, ruleChange, signalChange, signalId } from "../support/partition.ts";
import { until } from "../support/until.ts";

describe("the evaluate worker", () => {
  test("turns readings into events in order, and commits what it has told", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    await start(engines);
    await change(log, ruleChange(1), signalChange(1));
    await read(log, -60, -90, -60);
    const all = await eventsOnce(log, 5);
    expect(all.map(({ event, sequence }) => [event, sequence])).toEqual([
      ["signal.created", 1],
      ["alert.firing", 2],
      ["signal.failed", 3],
      ["alert.resolved", 4],
      ["signal.updated", 5],
    ]);
    await allEvaluated(log);
  });

  test("goes on where it stopped, from its snapshot: nothing is told twice, sequences go on", async () => {
    const engines = await openTestEngines();
    const { log, control } = engines;
    const first = await start(engines);
    await change(log, ruleChange(1), signalChange(1));
    await read(log, -90);
    await eventsOnce(log, 3);
    await first.stop();
    expect((await control.snapshots.newest(0))?.offset).toBe(3);
    await start(engines);
    await read(log, -60);
    const all = await eventsOnce(log, 5);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    expect(all.at(-1)?.data.previous?.status).toBe("failed");
  });

  test("folds silently to its commit where there is no snapshot, with the same state after it", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    const first = await start(engines);
    await change(log, ruleChange(1), signalChange(1));
    await read(log, -90);
    await first.stop();
    await start({ ...engines, control: await openTestControl() });
    await read(log, -60);
    const all = await eventsOnce(log, 5);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
  });

  test("does not trust a snapshot that is not what was sealed, and takes the one before", async () => {
    const engines = await openTestEngines();
    const { log, control } = engines;
    const first = await start(engines);
    await change(log, ruleChange(1), signalChange(1));
    await read(log, -90);
    await first.stop();
    const second = await start(engines);
    await read(log, -60);
    await eventsOnce(log, 5);
    await second.stop();
    const seal = await control.snapshots.newest(0);
    await control.snapshots.writeBucket(0, seal?.generation ?? 0, 0, new TextEncoder().encode("junk"));
    await start(engines);
    await read(log, -90);
    const all = await eventsOnce(log, 7);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect((await engines.telemetry.metrics.expose()).text).toContain(
      'evaluate_snapshot_failures_total{reason="snapshot_unfit"} 1',
    );
  });

  test("tells what it never committed again under the same ids", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    await change(log, ruleChange(1), signalChange(1));
    await read(log, -90, -60, -90);
    const forgetful = new Proxy(log, {
      get: (target, name) => {
        if (name !== "consume") {
          const member: unknown = Reflect.get(target, name, target);
          return typeof member === "function" ? member.bind(target) : member;
        }
        const consume: EventLog["consume"] = (options) =>
          target.consume({
            ...options,
            assigned: (assignment) => options.assigned({ ...assignment, commit: async () => undefined }),
          });
        return consume;
      },
    });
    const first = await start({ ...engines, log: forgetful });
    const told = await eventsOnce(log, 7);
    await first.stop();
    await start({ ...engines, control: await openTestControl() });
    const all = await eventsOnce(log, 14);
    expect(all.slice(7)).toEqual(told);
  });

  test("keeps the order of events through a log that fails again and again", async () => {
    const engines = await openTestEngines();
    let calls = 0;
    const flaky = faulty(engines.log, async (topic, records, options) => {
      if (topic === "events" && ++calls % 3 !== 0) throw new LogUnavailableError("the disk is full");
      return engines.log.append(topic, records, options);
    });
    const worker = await start({ ...engines, log: flaky });
    await change(engines.log, ruleChange(1), signalChange(1));
    for (const strength of [-90, -60, -90, -60]) await read(engines.log, strength);
    const all = await eventsOnce(engines.log, 9);
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(worker.health()).toMatchObject([{ state: "ok" }]);
  });

  test("stops in time while the log refuses events, and commits nothing that is not durable", async () => {
    const engines = await openTestEngines();
    const broken = faulty(engines.log, async (topic, records, options) => {
      if (topic === "events") throw new LogUnavailableError("the disk is full");
      return engines.log.append(topic, records, options);
    });
    const worker = await start({ ...engines, log: broken }, { drainMs: 100 });
    await change(engines.log, signalChange(1));
    await until("a retry", async () =>
      (await engines.telemetry.metrics.expose()).text.includes(
        'evaluate_retries_total{reason="log_unavailable"}',
      ),
    );
    await worker.stop();
    expect((await engines.log.committed(GROUPS.evaluate, "readings")).get(0) ?? 0).toBe(0);
    expect(await engines.control.snapshots.newest(0)).toBeNull();
  });

  test("fires on a silent signal by ticks of its own", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    await start(engines, { tickAfterMs: 50 });
    await change(log, ruleChange(1, { forSeconds: 0.2 }), signalChange(1));
    await read(log, -90);
    expect((await eventsOnce(log, 3)).at(-1)?.event).toBe("signal.failed");
    await allEvaluated(log);
    expect((await log.bounds("readings"))[0]?.end).toBeGreaterThan(3);
  });

  test("tells the newest values on live, conflated, and the status with them", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    await start(engines);
    await change(log, signalChange(1, { threshold: 0.5 }));
    await read(log, ...Array.from({ length: 1_000 }, () => -60), -95);
    const updates = await until("the newest value", async () => {
      const all = (await allRecords(log, "live")).flatMap(({ value }) => decodeLive(value));
      return all.at(-1)?.strength === -95 ? all : null;
    });
    expect(updates.at(-1)).toMatchObject({
      signalId: signalId(1),
      accountId: accountId(1),
      status: "failed",
    });
    expect(updates.length).toBeLessThan(10);
  });

  test("says on live from which state of the partition the newest values are", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    await start(engines);
    await change(log, signalChange(1));
    const [block] = await read(log, -60);
    const place = await until("the newest value", async () => {
      const record = (await allRecords(log, "live")).at(-1);
      const isThere = record !== undefined && decodeLive(record.value).at(-1)?.strength === -60;
      return isThere ? readLivePlace(record.headers) : null;
    });
    expect(place).toEqual({ logId: log.logId, partition: 0, offset: (block?.offset ?? 0) + 1 });
  });

  test("tells no newest values while another process may have the partition", async () => {
    const engines = await openTestEngines();
    const held = { isHeld: false };
    const log = doubtful(engines.log, () => held.isHeld);
    await start({ ...engines, log });
    await change(log, signalChange(1));
    await read(log, -60);
    await allEvaluated(log);
    await read(log, -61);
    await allEvaluated(log);
    expect(await allRecords(log, "live")).toEqual([]);
    held.isHeld = true;
    await until("the newest value", async () => (await allRecords(log, "live")).length > 0);
  });

  test("tells no newest values while it folds silently, and what changed meanwhile after it", async () => {
    const engines = await openTestEngines();
    const assigned = assigning(engines.log, (assignment) => ({ ...assignment, committed: 4 }));
    const { log } = engines;
    let turns = 0;
    const clock = Object.assign(Object.create(engines.clock), {
      every: (ms: number, run: () => void) =>
        engines.clock.every(ms, () => {
          run();
          turns++;
        }),
    });
    await start({ ...engines, log: assigned, clock });
    await change(log, signalChange(1), signalChange(2));
    await read(log, -60);
    const folded = async () =>
      (await engines.telemetry.metrics.expose()).text.includes("evaluate_readings_total 1");
    await until("the reading to be folded", folded);
    const before = turns;
    await until("its timers", async () => turns > before + 2);
    expect(await allRecords(log, "live")).toEqual([]);
    await log.append("readings", [
      { value: new TextEncoder().encode(readingLine(signalId(2), Date.now(), -70)) },
    ]);
    const told = await until("the newest values", async () => {
      const all = (await allRecords(log, "live")).flatMap(({ value }) => decodeLive(value));
      return all.length >= 2 ? all : null;
    });
    expect(new Map(told.map(({ signalId, strength }) => [signalId, strength]))).toEqual(
      new Map([
        [signalId(1), -60],
        [signalId(2), -70],
      ]),
    );
  });

  test("answers probes on live", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    await start(engines);
    const probe = { probeId: "p1", accountId: accountId(1), signalId: "anything", strength: -60 };
    await log.append("readings", [probeRecord(probe, 0)]);
    const record = await until("the answer", async () =>
      (await allRecords(log, "live")).find(({ headers }) => headers.probe === "p1"),
    );
    expect(readProbeAnswer(record)).toMatchObject({
      quality: 0.8,
      verdict: { known: false, status: "active" },
    });
  });

  test("writes dead letters with their place, and no more than its share of a flood", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    await start(engines, { deadLettersPerSecond: 5 });
    const line = readingLine(signalId(9), Date.now(), -60);
    await log.append("readings", [{ value: new TextEncoder().encode(`junk\n${line.repeat(100)}`) }]);
    await allEvaluated(log);
    const letters = await allRecords(log, "dead-letters");
    expect(letters).toHaveLength(5);
    expect(letters[0]?.headers).toEqual({
      topic: "readings",
      partition: "0",
      offset: "0",
      line: "0",
      problem: "line_not_three_fields",
    });
    expect(new TextDecoder().decode(letters[1]?.value)).toBe(line);
    const { text } = await engines.telemetry.metrics.expose();
    expect(text).toContain('evaluate_dead_letters_total{reason="unknown_signal"} 100');
  });

  test("takes snapshots while readings flow, whose buckets tell the newest values", async () => {
    const engines = await openTestEngines();
    const { log, control } = engines;
    await start(engines, { snapshotEveryMs: 1 });
    await change(log, signalChange(1));
    await read(log, -61);
    const seal = await until("a snapshot of it", async () => {
      const newest = await control.snapshots.newest(0);
      return newest?.offset === 2 ? newest : null;
    });
    const bucket = await control.snapshots.bucket(0, seal.generation, 0);
    expect(newestOfBucket(bucket ?? new Uint8Array())).toMatchObject([
      { signalId: signalId(1), strength: -61 },
    ]);
  });

  test("takes a snapshot sooner once enough has come to be worth it", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    const { control, sealedAt } = watchedSeals(engines);
    const settings = { snapshotEveryMs: 1e12, snapshotSoonerEveryMs: 1, snapshotSoonerReadings: 2 };
    await start({ ...engines, control }, settings);
    await change(log, signalChange(1));
    await read(log, -61);
    await allEvaluated(log);
    await read(log, -62);
    await until("a snapshot", async () => sealedAt.length > 0);
    expect(sealedAt).toEqual([3]);
  });

  test("evaluates every partition, each signal in its own", async () => {
    const engines = await openTestEngines(3);
    const { log, control } = engines;
    const worker = await start(engines);
    const here = (n: number) => partitionOf(signalId(n), 3);
    for (let n = 1; n <= 12; n++) {
      await log.append("readings", [changeRecord(signalChange(n), here(n))]);
    }
    await log.append("readings", [changeRecord(signalChange(13), (here(13) + 1) % 3)]);
    const all = await eventsOnce(log, 12);
    expect(new Set(all.map(({ data }) => data.signal?.id)).size).toBe(12);
    await allEvaluated(log);
    const [letter] = await allRecords(log, "dead-letters");
    expect(letter?.headers.problem).toBe("wrong_partition");
    await worker.stop();
    expect(await control.snapshots.partitions()).toEqual([0, 1, 2]);
  });
});

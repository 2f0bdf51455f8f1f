import { describe, expect, test } from "vitest";
import type { Telemetry } from "../../src/ports/telemetry.ts";
import { openTestEngines, type TestEngines } from "../support/engines.ts";
import { allEvaluated, change, events, eventsOnce, faulty, read, start } from "../support/evaluate.ts";
import { ruleChange, signalChange } from "../support/partition.ts";
import { until } from "../support/until.ts";

/** Telemetry whose count of events calls `told` within the fold, for each event of it. */
const tellingEvents = ({ log, metrics }: Telemetry, told: () => void): Telemetry => ({
  log,
  metrics: {
    counter: (name, help, labels) => {
      const counter = metrics.counter(name, help, labels);
      if (name !== "evaluate_events_total") return counter;
      return {
        add: (count, of) => {
          told();
          counter.add(count, of);
        },
      };
    },
    gauge: (...gauge) => metrics.gauge(...gauge),
    histogram: (...histogram) => metrics.histogram(...histogram),
    total: (...counter) => metrics.total(...counter),
    expose: () => metrics.expose(),
    values: () => metrics.values(),
    include: (other) => metrics.include(other),
  },
});

/** A log in which signal 1 has failed, all told; where asked, with a snapshot of that. */
const withFailedSignal = async ({ isPictured }: { isPictured: boolean }): Promise<TestEngines> => {
  const engines = await openTestEngines();
  const noSnapshots = { ...engines.control.snapshots, seal: async () => false };
  const control = isPictured ? engines.control : { ...engines.control, snapshots: noSnapshots };
  const worker = await start({ ...engines, control });
  await change(engines.log, ruleChange(1), signalChange(1));
  await read(engines.log, -90);
  await eventsOnce(engines.log, 3);
  await worker.stop();
  expect((await engines.control.snapshots.newest(0)) !== null).toBe(isPictured);
  return engines;
};

const STORY = [
  ["signal.created", 1],
  ["alert.firing", 2],
  ["signal.failed", 3],
  ["alert.resolved", 4],
  ["signal.updated", 5],
];
const story = async (engines: TestEngines) =>
  (await events(engines.log)).map(({ event, sequence }) => [event, sequence]);

describe("a partition that fails in a way nobody expected", () => {
  test.each([
    ["from its snapshot", true],
    ["by a silent fold where there is none", false],
  ])("in an append of its events goes on %s: nothing is missing, nothing twice", async (_, isPictured) => {
    const engines = await withFailedSignal({ isPictured });
    let failures = 0;
    const broken = faulty(engines.log, async (topic, records, options) => {
      if (topic === "events" && failures++ === 0) throw new Error("nobody thought of this");
      return engines.log.append(topic, records, options);
    });
    const worker = await start({ ...engines, log: broken });
    await read(engines.log, -60);
    await eventsOnce(engines.log, 5);
    expect(failures).toBeGreaterThan(1);
    expect(await story(engines)).toEqual(STORY);
    await until("health", () => worker.health()[0]?.state === "ok");
  });

  test("in an append of its events is let go of at once, however long it is until the next commit", async () => {
    const engines = await withFailedSignal({ isPictured: true });
    let isBroken = false;
    const broken = faulty(engines.log, async (topic, records, options) => {
      if (topic === "events" && isBroken) throw new Error("nobody thought of this");
      return engines.log.append(topic, records, options);
    });
    const worker = await start({ ...engines, log: broken }, { commitEveryMs: 3_600_000 });
    await read(engines.log, -61);
    await allEvaluated(engines.log);
    isBroken = true;
    await read(engines.log, -90);
    await until("the failure to show", () => worker.health()[0]?.state === "degraded");
    isBroken = false;
    await eventsOnce(engines.log, 7);
    expect((await story(engines)).map(([, sequence]) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  test("in the middle of a batch tells the batch's events once it can, and says so meanwhile", async () => {
    const engines = await withFailedSignal({ isPictured: true });
    let isBroken = true;
    const telemetry = tellingEvents(engines.telemetry, () => {
      if (isBroken) throw new Error("nobody thought of this");
    });
    const worker = await start({ ...engines, telemetry });
    await read(engines.log, -60);
    await until("the failure to show", () => worker.health()[0]?.state === "degraded");
    expect(worker.health()[0]?.detail).toBe(
      "partition 0 of readings failed and is tried again: nobody thought of this",
    );
    expect(await story(engines)).toEqual(STORY.slice(0, 3));
    isBroken = false;
    await eventsOnce(engines.log, 5);
    expect(await story(engines)).toEqual(STORY);
    await until("health", () => worker.health()[0]?.state === "ok");
  });

  test("in the middle of a batch while the worker stops leaves no snapshot of what was half done", async () => {
    const engines = await withFailedSignal({ isPictured: true });
    const stopped = Promise.withResolvers<void>();
    const telemetry = tellingEvents(engines.telemetry, () => {
      stopped.resolve(worker.stop());
      throw new Error("nobody thought of this");
    });
    const worker = await start({ ...engines, telemetry });
    await read(engines.log, -60);
    await stopped.promise;
    expect((await engines.control.snapshots.newest(0))?.offset).toBe(3);
    await start(engines);
    await eventsOnce(engines.log, 5);
    expect(await story(engines)).toEqual(STORY);
  });
});

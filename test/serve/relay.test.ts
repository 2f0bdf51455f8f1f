import { describe, expect, it, onTestFinished } from "vitest";
import { partitionOf } from "../../src/domain/partition.ts";
import { readChange } from "../../src/domain/records.ts";
import type { EventLog, NewRecord, Topic } from "../../src/ports/event-log.ts";
import { LogUnavailableError } from "../../src/ports/event-log.ts";
import { type RelayParts, startRelay } from "../../src/serve/relay.ts";
import { toldOf } from "../conformance/control-store/alerts.ts";
import {
  aRule,
  aSignal,
  aSimulator,
  DEFAULTS,
  MINE,
  SOURCE,
  succeeded,
} from "../conformance/control-store/examples.ts";
import { ManualClock } from "../support/clock.ts";
import { allRecords, openTestEngines, type TestEngines } from "../support/engines.ts";
import { until } from "../support/until.ts";

const PARTITIONS = 4;

const started = (parts: RelayParts) => {
  const relay = startRelay(parts);
  onTestFinished(() => relay.stop());
  return relay;
};

/** The log, but for appends, which `gate` may hold back or refuse. */
const gated = (log: EventLog, gate: (topic: Topic) => Promise<void>): RelayParts["log"] => ({
  partitions: (topic) => log.partitions(topic),
  append: async (topic, records: readonly NewRecord[]) => {
    await gate(topic);
    return log.append(topic, records);
  },
});

const changesIn = async ({ log }: TestEngines, partition: number) =>
  (await allRecords(log, "readings", partition)).map(readChange);

const positionOf = (changed: { ok: boolean; outbox?: number }): number => changed.outbox ?? Number.NaN;

describe("the relay", () => {
  it("brings a change to its signal's partition before its caller is answered", async () => {
    const engines = await openTestEngines(PARTITIONS);
    const relay = started(engines);
    const created = await engines.control.signals.create(MINE, aSignal());
    expect(await relay.reached(positionOf(created), 2000)).toBe(true);
    const { definition } = succeeded(created);
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const mine = partition === partitionOf(definition.id, PARTITIONS);
      const expected = mine ? [{ type: "signal", signal: definition }] : [];
      expect(await changesIn(engines, partition)).toEqual(expected);
    }
  });

  it("brings a rule to every partition, and a source to its own topic", async () => {
    const engines = await openTestEngines(PARTITIONS);
    const { control, log } = engines;
    const relay = started(engines);
    const stored = succeeded(await control.rules.create(MINE, aRule()));
    const source = succeeded(await control.sources.create(MINE, aSimulator()));
    const removed = await control.sources.remove(MINE, source.id);
    expect(await relay.reached(positionOf(removed), 2000)).toBe(true);
    for (let partition = 0; partition < PARTITIONS; partition++) {
      expect(await changesIn(engines, partition)).toEqual([{ type: "rule", ...stored }]);
    }
    const records = await allRecords(log, "sources");
    expect(records.map(({ key, value }) => [key, value.length]).at(-1)).toEqual([source.id, 0]);
  });

  it("brings a silence to every partition, and an acknowledgement to its signal's own", async () => {
    const engines = await openTestEngines(PARTITIONS);
    const { silences, alerts } = engines.control;
    const relay = started(engines);
    const [at, told] = ["2026-01-01T00:00:00.000Z", toldOf(1)];
    const silence = {
      select: {},
      ruleIds: null,
      until: null,
      untilResolved: true,
      schedule: null,
      reason: "r",
    };
    const { definition } = succeeded(await silences.create(MINE, { ...silence, from: at }, "key_1"));
    await alerts.project([told]);
    const { id: alertId, signalId } = told.alert;
    await alerts.acknowledge(MINE, alertId, { by: "key_1", note: null });
    const removed = await silences.remove(MINE, definition.id);
    expect(await relay.reached(positionOf(removed), 2000)).toBe(true);
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const mine = partition === partitionOf(signalId, PARTITIONS);
      expect(await changesIn(engines, partition)).toMatchObject([
        { type: "silence", revision: 1, silence: definition },
        ...(mine ? [{ type: "acknowledged", alertId, signalId }] : []),
        { type: "silenceDeleted", revision: 2, silenceId: definition.id },
      ]);
    }
  });

  it("keeps the order of every signal's changes, however many come at once", async () => {
    const engines = await openTestEngines(PARTITIONS);
    const { signals } = engines.control;
    const relay = started(engines);
    const externalIds = Array.from({ length: 1200 }, (_, index) => `n${index}`);
    const request = { accountId: MINE, sourceId: SOURCE, externalIds, create: true, defaults: DEFAULTS };
    const made = (await signals.resolve(request)).map(({ definition }) => definition);
    const some = made.slice(0, 50);
    const updates = [1, 2, 3].flatMap((n) =>
      some.map(({ id }) => signals.update(MINE, id, { name: `name ${n}` })),
    );
    const last = Math.max(...(await Promise.all(updates)).map(positionOf));
    expect(await relay.reached(last, 2000)).toBe(true);
    const revisions = new Map<string, number[]>();
    for (let partition = 0; partition < PARTITIONS; partition++) {
      for (const change of await changesIn(engines, partition)) {
        if (change.type !== "signal") throw new Error(change.type);
        const { id, revision } = change.signal;
        revisions.set(id, [...(revisions.get(id) ?? []), revision]);
      }
    }
    expect(revisions.size).toBe(1200);
    for (const { id } of some) expect(revisions.get(id)).toEqual([1, 2, 3, 4]);
  });

  it("leaves an empty outbox, and starts behind what it has copied", async () => {
    const engines = await openTestEngines();
    const { control, log } = engines;
    const first = startRelay(engines);
    await first.reached(positionOf(await control.rules.create(MINE, aRule())), 2000);
    await until("the outbox is empty", async () => (await control.outbox.read(0, 10)).length === 0);
    await first.stop();
    const later = await control.rules.create(MINE, aRule());
    const second = started(engines);
    expect(await second.reached(positionOf(later), 2000)).toBe(true);
    expect(await allRecords(log, "readings")).toHaveLength(2);
  });

  it("copies what was left in the outbox, and finds other processes' changes by itself", async () => {
    const engines = await openTestEngines();
    const clock = new ManualClock();
    await engines.control.rules.create(MINE, aRule());
    started({ ...engines, clock });
    await until("the rule is in the log", async () => (await changesIn(engines, 0)).length === 1);
    await engines.control.rules.create(MINE, aRule());
    await until("the second rule is in the log", async () => {
      clock.advance(50);
      return (await changesIn(engines, 0)).length === 2;
    });
  });

  it("says false after the time given when the log is slow, and copies all the same", async () => {
    const engines = await openTestEngines();
    const clock = new ManualClock();
    const open = Promise.withResolvers<void>();
    const log = gated(engines.log, () => open.promise);
    const relay = started({ ...engines, log, clock });
    const position = positionOf(await engines.control.rules.create(MINE, aRule()));
    const [soon, late, never] = [
      relay.reached(position, 100),
      relay.reached(position, 60_000),
      relay.reached(position + 1, 60_000),
    ];
    clock.advance(100);
    expect(await soon).toBe(false);
    open.resolve();
    expect(await late).toBe(true);
    clock.advance(1999);
    expect(await never).toBe(false);
  });

  it("is done by one of several, and the others know how far it is", async () => {
    const engines = await openTestEngines();
    const clock = new ManualClock();
    const first = startRelay({ ...engines, clock });
    const appends: string[] = [];
    const log = gated(engines.log, async (topic) => void appends.push(topic));
    const second = startRelay({ ...engines, log, clock });
    onTestFinished(async () => {
      await Promise.all([first.stop(), second.stop()]);
    });
    const change = async (relay: typeof first) => {
      const position = positionOf(await engines.control.rules.create(MINE, aRule()));
      return relay.reached(position, 2_000);
    };
    const seen = change(second);
    await until("the other has copied it", async () => {
      clock.advance(10);
      return (await changesIn(engines, 0)).length === 1;
    });
    clock.advance(50);
    expect(await seen).toBe(true);
    expect(appends).toEqual([]);
    await first.stop();
    const taken = change(second);
    await until("the second takes over", () => {
      clock.advance(10);
      return appends.length === 1;
    });
    expect(await taken).toBe(true);
  });

  it("has nothing to wait for at position 0", async () => {
    const engines = await openTestEngines();
    const log = gated(engines.log, () => Promise.reject(new LogUnavailableError("gone")));
    expect(await started({ ...engines, log }).reached(0, 2000)).toBe(true);
  });

  it("tries again, degraded meanwhile, until the log takes it; nothing is lost and the order holds", async () => {
    const engines = await openTestEngines();
    const clock = new ManualClock();
    let refusals = 3;
    const log = gated(engines.log, async (topic) => {
      if (topic === "sources" && refusals-- > 0) throw new LogUnavailableError("gone");
    });
    const { control } = engines;
    const { id } = succeeded(await control.signals.create(MINE, aSignal())).definition;
    await control.sources.create(MINE, aSimulator());
    await control.signals.update(MINE, id, { name: "second" });
    const relay = started({ ...engines, log, clock });
    await until("it is degraded", () => relay.health().state === "degraded");
    await until("everything is in the log", async () => {
      clock.advance(100);
      return (await allRecords(engines.log, "sources")).length === 1;
    });
    await until("it is well again", () => relay.health().state === "ok");
    const revisions = (await changesIn(engines, 0)).map((change) =>
      change.type === "signal" ? change.signal.revision : 0,
    );
    // Whole batches repeat, from their beginning: readers drop what is not above the last revision.
    expect(revisions).toEqual([1, 2, 1, 2, 1, 2, 1, 2]);
  });

  it("goes on behind what it has copied when a later part fails, and marks many rows at once", async () => {
    const engines = await openTestEngines();
    const clock = new ManualClock();
    let appends = 0;
    const log = gated(engines.log, async () => {
      if (++appends === 3) throw new LogUnavailableError("gone");
    });
    const marks: number[] = [];
    const outbox: RelayParts["control"]["outbox"] = {
      ...engines.control.outbox,
      markRelayed: (position) => {
        marks.push(position);
        return engines.control.outbox.markRelayed(position);
      },
    };
    const externalIds = Array.from({ length: 6_000 }, (_, index) => `n${index}`);
    const request = { accountId: MINE, sourceId: SOURCE, externalIds, create: true, defaults: DEFAULTS };
    await engines.control.signals.resolve(request);
    const relay = started({ ...engines, control: { ...engines.control, outbox }, log, clock });
    const copied = relay.reached(6_000, 2_000);
    await until("it has failed", () => relay.health().state === "degraded");
    await until("all are marked", () => {
      clock.advance(10);
      return marks.at(-1) === 6_000;
    });
    expect(await copied).toBe(true);
    const ids = (await changesIn(engines, 0)).map((change) => change.type === "signal" && change.signal.id);
    expect([ids.length, new Set(ids).size]).toEqual([6_000, 6_000]);
    expect(marks.length).toBeLessThanOrEqual(2);
  });

  it("lets go of who waits when it stops, after the batch it is at", async () => {
    const engines = await openTestEngines();
    const open = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const log = gated(engines.log, () => {
      entered.resolve();
      return open.promise;
    });
    const relay = startRelay({ ...engines, log });
    const position = positionOf(await engines.control.rules.create(MINE, aRule()));
    const answer = relay.reached(position, 2000);
    await entered.promise;
    const stopped = relay.stop();
    expect(await answer).toBe(false);
    open.resolve();
    await stopped;
    await relay.stop();
    expect(await engines.control.outbox.relayed()).toBe(position);
    expect(await relay.reached(position + 1, 2000)).toBe(false);
  });

  it("keeps appends below what a log takes in one, and copies a change that is larger alone", async () => {
    const engines = await openTestEngines();
    const sizes: number[] = [];
    const log: RelayParts["log"] = {
      partitions: () => 100,
      append: async (_topic, records) => {
        sizes.push(records.reduce((sum, { value }) => sum + value.length, 0));
        return [];
      },
    };
    const name = "x".repeat(200);
    const externalIds = Array.from({ length: 3000 }, (_, index) => `${name.slice(5)}${index}`);
    await engines.control.rules.create(MINE, aRule({ name, select: { labels: largeLabels() } }));
    const request = { accountId: MINE, sourceId: SOURCE, externalIds, create: true, defaults: DEFAULTS };
    await engines.control.signals.resolve(request);
    const relay = started({ ...engines, log });
    expect(await relay.reached(3001, 2000)).toBe(true);
    expect(sizes[0]).toBeGreaterThan(512 * 1024);
    for (const size of sizes.slice(1)) expect(size).toBeLessThanOrEqual(512 * 1024);
  });
});

const largeLabels = (): Record<string, string> =>
  Object.fromEntries(Array.from({ length: 32 }, (_, index) => [`label_${index}`, "x".repeat(200)]));

import { describe, expect, it, onTestFinished } from "vitest";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { encodeLive, type LiveUpdate, liveHeaders } from "../../src/domain/live.ts";
import { writeBuckets } from "../../src/evaluate/sealed-snapshot.ts";
import { LIVE_RETENTION_MS } from "../../src/ports/event-log.ts";
import { startLiveTail } from "../../src/serve/live-tail.ts";
import { LiveValues } from "../../src/serve/live-values.ts";
import { Probes } from "../../src/serve/probes.ts";
import { ManualClock } from "../support/clock.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { openTestControl } from "../support/engines.ts";
import { openTestLog } from "../support/lmdb-log.ts";
import { accountId, definition, signalId, TestPartition } from "../support/partition.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

const update = (strength: number, signal = 1): LiveUpdate => ({
  signalId: signalId(signal),
  accountId: accountId(1),
  atMs: 1_000,
  strength,
  status: "active",
});
const strengthIn = (live: LiveValues, signal = 1) => live.get(accountId(1), signalId(signal))?.strength;

describe("newest values", () => {
  it("are not overwritten by what an evaluator took from an earlier state", () => {
    const live = new LiveValues();
    live.apply([update(-60)], 20);
    live.apply([update(-40), update(-41, 2)], 19);
    expect([strengthIn(live), strengthIn(live, 2)]).toEqual([-60, -41]);
    live.apply([update(-50)], 20);
    expect(strengthIn(live)).toBe(-50);
  });

  it("are taken in order where nobody says from which state they are", () => {
    const live = new LiveValues();
    live.apply([update(-60)], 20);
    live.apply([update(-61)], null);
    expect(strengthIn(live)).toBe(-61);
    live.apply([update(-40)], 19);
    expect(strengthIn(live)).toBe(-61);
  });

  it("that were known already are told to nobody when they are seeded again", () => {
    const live = new LiveValues();
    const told: string[] = [];
    live.apply([update(-60), update(-61, 2), update(-62, 3)], 20);
    live.listen(accountId(1), (ids) => told.push(...ids));
    live.seed([update(-60), update(-70, 2), update(-70, 3)], 21);
    live.seed([update(-80, 3)], 19);
    expect(told).toEqual([signalId(2), signalId(3)]);
    expect([1, 2, 3].map((n) => strengthIn(live, n))).toEqual([-60, -70, -70]);
  });
});

describe("the tail of newest values", () => {
  const tailing = async () => {
    const clock = new ManualClock(Date.now());
    const log = await openTestLog({ directory: await temporaryDirectory(), clock });
    onTestFinished(() => log.close());
    const { snapshots } = await openTestControl();
    const telemetry = testTelemetry();
    const surroundings = { clock, entropy: systemEntropy, telemetry };
    const live = new LiveValues();
    const probes = new Probes({ log, clock, entropy: systemEntropy, timeoutMs: 1_000 });
    const tail = startLiveTail({ ...surroundings, log, snapshots, live, probes });
    onTestFinished(() => tail.stop());
    const append = (offset: number, updates: LiveUpdate[], logId = log.logId) => {
      const headers = liveHeaders({ logId, partition: 0, offset });
      return log.append("live", [{ headers, value: encodeLive(updates) }]);
    };
    return { clock, log, snapshots, telemetry, live, append };
  };

  it("compares the states of one log, and leaves out what is told of another", async () => {
    const { live, append } = await tailing();
    await append(900, [update(-40)], "01JDA2V3Q8R5T7W9Y1B3D5F7H8");
    await append(7, [update(-60)]);
    await append(6, [update(-50)]);
    await append(1, [update(-70, 2)]);
    await until("the last record", () => strengthIn(live, 2) === -70);
    expect(strengthIn(live)).toBe(-60);
  });

  it("takes from the snapshots what was told while it stood still for longer than it is kept", async () => {
    const { clock, log, snapshots, telemetry, live, append } = await tailing();
    await append(1, [update(-40), update(-41, 2), update(-42, 3)]);
    await until("the first record", () => strengthIn(live, 3) === -42);
    const partition = new TestPartition();
    partition.change(
      { type: "signal", signal: definition(1) },
      { type: "signal", signal: definition(2) },
      { type: "signal", signal: definition(3) },
    );
    const writing = {
      snapshots,
      clock: systemClock,
      entropy: systemEntropy,
      signal: new AbortController().signal,
    };
    const of = { logId: log.logId, partition: 0, partitions: 1 };
    const sealed = async (previous: number | null) => {
      const seal = await writeBuckets(writing, of, partition.evaluation.snapshot(), previous);
      expect(await snapshots.seal(seal, previous)).toBe(true);
      return seal.generation;
    };
    partition.read({ signal: 1, strength: -60 }, { signal: 2, strength: -61 }, { signal: 3, strength: -42 });
    const first = await sealed(null);

    // In one turn, as for a process that stands still: the first of these is gone before it can be read.
    const appends = [append(9, [update(-60), update(-61, 2), update(-63, 3)])];
    clock.advance(LIVE_RETENTION_MS + 1);
    appends.push(append(11, [update(-62, 2)]));
    await Promise.all(appends);
    await until("the value that was told meanwhile", () => strengthIn(live) === -60);
    expect([strengthIn(live, 2), strengthIn(live, 3)]).toEqual([-62, -42]);
    expect((await telemetry.metrics.expose()).text).toContain("live_gap_total 1");

    partition.read({ signal: 3, strength: -63 });
    await sealed(first);
    clock.advance(60_000);
    await until("the value that a younger snapshot holds", () => strengthIn(live, 3) === -63);
    expect(strengthIn(live, 2)).toBe(-62);
  });
});

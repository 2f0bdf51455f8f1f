import { describe, expect, test } from "vitest";
import type { RuleCreate } from "../../../schemas/rule.ts";
import { ruleChange, signalChange, signalId, sourceId, TestPartition } from "../../support/partition.ts";

const FAILED = ["alert.firing", "signal.failed"];
const RECOVERED = ["alert.resolved", "signal.updated"];

const withRule = (overrides: Partial<typeof RuleCreate._zod.input>): TestPartition => {
  const partition = new TestPartition().change(ruleChange(1, overrides), signalChange(1));
  partition.news();
  return partition;
};

describe("forSeconds", () => {
  test("is met by append time alone, when no further reading comes", () => {
    const partition = withRule({ forSeconds: 10 });
    partition.read({ signal: 1, strength: -90 });
    expect(partition.ticks(9).kinds()).toEqual([]);
    const [firing, failed] = partition.ticks(1).news();
    expect([firing?.event, failed?.event]).toEqual(FAILED);
    expect(failed?.createdAt).toBe("2026-01-01T00:00:10.000Z");
    expect(failed?.data.reasons).toMatchObject([{ since: "2026-01-01T00:00:10.000Z", value: -90 }]);
  });

  test("is met by the readings' own time alone, as a replayed capture has it", () => {
    const partition = withRule({ forSeconds: 10 });
    const at = partition.now - 86_400_000;
    partition.read({ signal: 1, strength: -90, at }, { signal: 1, strength: -91, at: at + 9_999 });
    expect(partition.kinds()).toEqual([]);
    expect(partition.read({ signal: 1, strength: -92, at: at + 10_000 }).kinds()).toEqual(FAILED);
  });

  test("never adds the two clocks up", () => {
    const partition = withRule({ forSeconds: 10 });
    const at = partition.now;
    partition.read({ signal: 1, strength: -90, at });
    partition.after(6_000).read({ signal: 1, strength: -90, at: at + 6_000 });
    expect(
      partition
        .after(3_000)
        .read({ signal: 1, strength: -90, at: at + 8_000 })
        .kinds(),
    ).toEqual([]);
  });

  test("is cancelled by a good reading in between", () => {
    const partition = withRule({ forSeconds: 10 });
    partition.read({ signal: 1, strength: -90 });
    partition.after(5_000).read({ signal: 1, strength: -79 });
    partition.after(1_000).read({ signal: 1, strength: -90 });
    expect(partition.ticks(9).kinds()).toEqual([]);
    expect(partition.ticks(1).kinds()).toEqual(FAILED);
  });

  test("passes before the value of a reading is compared: a late good reading ends what has fired", () => {
    const partition = withRule({ forSeconds: 10 });
    partition.read({ signal: 1, strength: -90 });
    const events = partition.after(10_000).read({ signal: 1, strength: -60 }).news();
    expect(events.map(({ event }) => event)).toEqual([...FAILED, ...RECOVERED]);
    expect(events.map(({ data }) => data.signal?.strength)).toEqual([-90, -90, -60, -60]);
  });

  test("by the readings' own time passes before the value too, as it would have live", () => {
    const partition = withRule({ forSeconds: 10 });
    const at = partition.now;
    const events = partition
      .read({ signal: 1, strength: -90, at: at - 20_000 }, { signal: 1, strength: -60, at })
      .news();
    expect(events.map(({ event }) => event)).toEqual([...FAILED, ...RECOVERED]);
    expect(new Set(events.map(({ id }) => id)).size).toBe(4);
  });
});

describe("keepFiringForSeconds", () => {
  test("holds the alert until good readings have lasted so long, by either clock", () => {
    const partition = withRule({ keepFiringForSeconds: 10 });
    partition.strengths(-90, -60);
    expect(partition.kinds()).toEqual(FAILED);
    expect(partition.ticks(9).kinds()).toEqual([]);
    expect(partition.ticks(1).kinds()).toEqual(RECOVERED);
  });

  test("begins anew after a bad reading", () => {
    const partition = withRule({ keepFiringForSeconds: 10 });
    partition.strengths(-90, -60, -60, -78, -60);
    expect(partition.kinds()).toEqual(FAILED);
    expect(partition.ticks(9).kinds()).toEqual([]);
    expect(partition.ticks(1).kinds()).toEqual(RECOVERED);
  });
});

describe("the record's clock", () => {
  test("never falls", () => {
    const partition = withRule({ forSeconds: 10 });
    partition.read({ signal: 1, strength: -90 });
    partition.after(-60_000).ticks(9);
    expect(partition.kinds()).toEqual([]);
    expect(partition.after(60_001).ticks(1).news()[0]?.createdAt).toBe("2026-01-01T00:00:10.001Z");
  });
});

const silent = (overrides: Parameters<typeof signalChange>[1] = {}): TestPartition => {
  const partition = new TestPartition().change(signalChange(1, { noDataAfterSeconds: 10, ...overrides }));
  partition.news();
  return partition;
};

describe("no data", () => {
  test("starts with the first reading and counts from the last", () => {
    const partition = silent();
    expect(partition.ticks(60).kinds()).toEqual([]);
    partition.read({ signal: 1, strength: -60 }).ticks(8);
    partition.read({ signal: 1, strength: -60 }).ticks(9);
    expect(partition.kinds()).toEqual([]);
    const [failed, ...more] = partition.ticks(60).news();
    expect(more).toEqual([]);
    expect(failed?.data.reasons).toEqual([{ kind: "noData", since: failed?.createdAt, value: 10 }]);
    expect(partition.read({ signal: 1, strength: -60 }).news()[0]?.data.previous).toMatchObject({
      status: "failed",
      reasons: [{ kind: "noData" }],
    });
    expect(partition.ticks(10).kinds()).toEqual(["signal.failed"]);
  });

  test("counts append time only: old times in the readings do not matter, and a late reading is life too", () => {
    const partition = silent();
    partition.read({ signal: 1, strength: -60 }).ticks(9);
    partition.read({ signal: 1, strength: -60, at: partition.now - 50_000 }).ticks(9);
    expect(partition.kinds()).toEqual([]);
    expect(partition.ticks(1).kinds()).toEqual(["signal.failed"]);
    partition.read({ signal: 1, strength: -60, at: partition.now - 50_000 });
    expect(partition.kinds()).toEqual(["signal.updated"]);
  });

  test("moves its clock by 5 s at most between two records: our own downtime is not the signal's", () => {
    const partition = silent();
    partition.read({ signal: 1, strength: -60 });
    expect(partition.after(3_600_000).ticks(4).kinds()).toEqual([]);
    expect(partition.ticks(1).kinds()).toEqual([]);
    expect(partition.ticks(1).kinds()).toEqual(["signal.failed"]);
  });

  test("of several signals is told in the order of their deadlines, however often these were moved", () => {
    const partition = silent().change(
      signalChange(2, { noDataAfterSeconds: 10 }),
      signalChange(3, { noDataAfterSeconds: 10 }),
    );
    partition.read({ signal: 1, strength: -60 }, { signal: 3, strength: -60 }).ticks(1);
    partition.read({ signal: 2, strength: -60 }, { signal: 3, strength: -60 }).ticks(1);
    partition.read({ signal: 1, strength: -60 }).ticks(4);
    partition.news();
    const told = partition.after(5_000).ticks(5).after(5_000).ticks(1).news();
    expect(told.map(({ data }) => data.signal?.name)).toEqual(["signal 2", "signal 3", "signal 1"]);
  });

  test("of signals that fell silent at once is told in the order of their ids, not of their making", () => {
    const partition = new TestPartition().change(
      signalChange(2, { noDataAfterSeconds: 10 }),
      signalChange(1, { noDataAfterSeconds: 10 }),
    );
    partition.read({ signal: 2, strength: -60 }, { signal: 1, strength: -60 });
    partition.news();
    expect(
      partition
        .ticks(10)
        .news()
        .map(({ data }) => data.signal?.name),
    ).toEqual(["signal 1", "signal 2"]);
  });

  test("stands still while ingest holds the signal's source back, and for nobody else's signals", () => {
    const sourced = { noDataAfterSeconds: 10, sourceId: sourceId(1) };
    const partition = silent(sourced).change(signalChange(2, { noDataAfterSeconds: 10 }));
    partition.read({ signal: 1, strength: -60 }, { signal: 2, strength: -60 }).ticks(5);
    partition.news();
    partition.change({ type: "sourceFlow", sourceId: sourceId(1), paused: true });
    partition.ticks(60);
    expect(partition.news().map(({ data }) => data.signal?.id)).toEqual([signalId(2)]);
    partition.change({ type: "sourceFlow", sourceId: sourceId(1), paused: false });
    expect(partition.ticks(4).kinds()).toEqual([]);
    expect(partition.ticks(1).news()[0]?.data).toMatchObject({
      signal: { id: signalId(1) },
      reasons: [{ kind: "noData", value: 10 }],
    });
  });

  test("counts from a reading that came while the source was held back as from the end of that time", () => {
    const partition = silent({ sourceId: sourceId(1) });
    partition.read({ signal: 1, strength: -60 }).ticks(1);
    partition.change({ type: "sourceFlow", sourceId: sourceId(1), paused: true }).ticks(4);
    partition.read({ signal: 1, strength: -60 }).ticks(4);
    partition.change({ type: "sourceFlow", sourceId: sourceId(1), paused: false });
    expect(partition.ticks(9).kinds()).toEqual([]);
    expect(partition.ticks(1).kinds()).toEqual(["signal.failed"]);
  });

  test("of a signal made while its source is held back waits for the source", () => {
    const partition = new TestPartition().change(
      { type: "sourceFlow", sourceId: sourceId(1), paused: true },
      signalChange(1, { noDataAfterSeconds: 10, sourceId: sourceId(1) }),
    );
    partition.read({ signal: 1, strength: -60 }).ticks(60);
    expect(partition.kinds()).toEqual(["signal.created"]);
    partition.change({ type: "sourceFlow", sourceId: sourceId(1), paused: false });
    expect(partition.ticks(10).kinds()).toEqual(["signal.failed"]);
  });

  test("follows a changed interval at once, counted from the last reading", () => {
    const partition = silent();
    partition.read({ signal: 1, strength: -60 }).ticks(5);
    partition.change(signalChange(1, { noDataAfterSeconds: 60, revision: 2 })).ticks(40);
    expect(partition.kinds()).toEqual(["signal.updated"]);
    partition.change(signalChange(1, { noDataAfterSeconds: 20, revision: 3 })).ticks(1);
    expect(partition.kinds()).toEqual(["signal.updated", "signal.failed"]);
    partition.change(signalChange(1, { noDataAfterSeconds: null, revision: 4 }));
    const [updated] = partition.news();
    expect(updated?.data.previous).toMatchObject({ noDataAfterSeconds: 20, status: "failed" });
    expect(partition.evaluation.timePending).toBe(false);
  });

  test("is over for a paused signal, and a resumed one is expected again from then on", () => {
    const partition = silent();
    partition.read({ signal: 1, strength: -60 });
    partition.change(signalChange(1, { noDataAfterSeconds: 10, paused: true, revision: 2 })).ticks(60);
    expect(partition.kinds()).toEqual(["signal.updated"]);
    partition.change(signalChange(1, { noDataAfterSeconds: 10, revision: 3 })).ticks(9);
    expect(partition.kinds()).toEqual(["signal.updated"]);
    expect(partition.ticks(1).kinds()).toEqual(["signal.failed"]);
  });
});

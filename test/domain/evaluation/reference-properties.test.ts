import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ResolveReason } from "../../../schemas/alert.ts";
import { PartitionEvaluation } from "../../../src/domain/evaluation/evaluation.ts";
import { sameJson } from "../../../src/domain/evaluation/same.ts";
import { SnapshotRestore } from "../../../src/domain/evaluation/snapshot-restore.ts";
import type { LogRecord } from "../../../src/domain/log-record.ts";
import { alertScenario } from "../../support/alert-scenarios.ts";
import { CollectingSink, LOG_ID } from "../../support/partition.ts";
import { referenceEvents } from "../../support/reference/account.ts";
import type { ToldEvent } from "../../support/reference/told.ts";
import { linesBySignal, toldEvents } from "../../support/scenario-events.ts";
import { scenarioLog, spread } from "../../support/scenario-log.ts";

const OF = { logId: LOG_ID, partition: 0, partitions: 1 };
/** More of them for a longer look: `SCENARIOS=5000 npx vitest run …`. */
const RUNS = { numRuns: Number(process.env.SCENARIOS ?? 150) };

const restored = (evaluation: PartitionEvaluation): PartitionEvaluation => {
  const restore = new SnapshotRestore(OF);
  for (const bucket of [...evaluation.snapshot().slices(3)].flat()) restore.bucket(bucket);
  return new PartitionEvaluation(OF, restore.finish());
};

/** Folds the records, and begins anew from a snapshot at each of the offsets. */
const foldedWithRestarts = (records: readonly LogRecord[], restarts: readonly number[]): CollectingSink => {
  const sink = new CollectingSink();
  let evaluation = new PartitionEvaluation(OF);
  for (const record of records) {
    if (restarts.includes(record.offset)) evaluation = restored(evaluation);
    evaluation.apply(record, sink);
  }
  return sink;
};

/** What an event shows of everything that may happen to an alert. */
const featuresOf = ({ event, data: { alert, silencedBy, heldBy, repeatOf } }: ToldEvent): string[] => [
  event,
  ...(silencedBy === undefined ? [] : [`${event} silenced`]),
  ...(heldBy === undefined ? [] : [`${event} held`]),
  ...(alert?.repeatOf === undefined && repeatOf === undefined ? [] : [`${event} again`]),
  ...(alert?.flapping === undefined ? [] : [`${event} flapping ${alert.flapping.state}`]),
  ...(alert?.resolveReason === undefined ? [] : [`because of ${alert.resolveReason}`]),
  ...(alert?.previousSeverity === undefined ? [] : ["a step of severity"]),
  ...(alert?.toldAs?.some(({ severity }) => severity !== alert.severity) ? ["told of another severity"] : []),
  ...(alert?.toldAs?.some(({ notify }) => !sameJson(notify, alert.notify ?? null)) ? ["told to others"] : []),
];

test("the scenarios come to everything that an alert can come to", () => {
  const events = fc.sample(alertScenario, { numRuns: 200, seed: 7 }).flatMap(referenceEvents);
  const seen = new Set(events.flatMap(featuresOf));
  const firing = ["silenced", "held", "again", "flapping began", "flapping ended"].map(
    (one) => `alert.firing ${one}`,
  );
  const resolved = ["silenced", "held", "flapping ended"].map((one) => `alert.resolved ${one}`);
  const failed = ["silenced", "held", "again"].map((one) => `signal.failed ${one}`);
  const updated = ["silenced", "held"].map((one) => `signal.updated ${one}`);
  const reasons = ResolveReason.options.map((reason) => `because of ${reason}`);
  const all = [...firing, ...resolved, ...failed, ...updated, ...reasons];
  expect(
    [
      ...all,
      "alert.acknowledged",
      "a step of severity",
      "told of another severity",
      "told to others",
      "signal.deleted",
    ].filter((one) => !seen.has(one)),
  ).toEqual([]);
});

describe("the evaluator, beside a reference written from the agreed text alone", () => {
  test("tells the same of any scenario", () => {
    fc.assert(
      fc.property(alertScenario, (inputs) => {
        const { sink } = scenarioLog(inputs);
        expect(linesBySignal(toldEvents(sink.events))).toEqual(linesBySignal(referenceEvents(inputs)));
      }),
      RUNS,
    );
  });

  test("tells the same with restarts at any places, byte for byte, and at every replay", () => {
    const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(alertScenario, places, (inputs, at) => {
        const { records, sink } = scenarioLog(inputs);
        const restarts = at.map((place) => Math.floor(place * records.length));
        const { events } = foldedWithRestarts(records, restarts);
        expect(JSON.stringify(events)).toBe(JSON.stringify(sink.events));
        expect(JSON.stringify(foldedWithRestarts(records, []).events)).toBe(JSON.stringify(sink.events));
        expect(linesBySignal(toldEvents(events))).toEqual(linesBySignal(referenceEvents(inputs)));
        expect(new Set(events.map(({ event }) => event.id)).size).toBe(events.length);
      }),
      RUNS,
    );
  });

  test("tells the same of each signal over one to four partitions", () => {
    fc.assert(
      fc.property(alertScenario, fc.integer({ min: 1, max: 4 }), (inputs, partitions) => {
        const shared = spread(inputs, partitions, true).flatMap((own, partition) =>
          toldEvents(scenarioLog(own, partition, partitions).sink.events),
        );
        expect(linesBySignal(shared)).toEqual(linesBySignal(referenceEvents(inputs)));
      }),
      RUNS,
    );
  });

  test("tells the same of each partition by itself, whose time goes on by its own records only", () => {
    fc.assert(
      fc.property(alertScenario, fc.integer({ min: 2, max: 4 }), (inputs, partitions) => {
        // An acknowledgement would be the record at which an alert fires that nobody can know of before.
        const others = inputs.filter(({ kind }) => kind !== "acknowledged");
        for (const [partition, own] of spread(others, partitions, false).entries()) {
          const { sink } = scenarioLog(own, partition, partitions);
          expect(linesBySignal(toldEvents(sink.events))).toEqual(linesBySignal(referenceEvents(own)));
        }
      }),
      RUNS,
    );
  });
});

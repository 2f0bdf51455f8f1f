import { expect, test } from "vitest";
import { Alert, PENDING_ALERTS_MAX } from "../../schemas/alert.ts";
import type { PendingAnswer, PendingQuestion } from "../../schemas/change.ts";
import { PartitionEvaluation } from "../../src/domain/evaluation/evaluation.ts";
import { PartitionState } from "../../src/domain/evaluation/partition-state.ts";
import { pendingAlerts } from "../../src/domain/pending-alerts.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { changeRecord, type OutgoingRecord, pendingQuestionRecord } from "../../src/domain/records.ts";
import {
  accountId,
  asRecord,
  CollectingSink,
  LOG_ID,
  ruleChange,
  ruleId,
  START_MS,
  signalChange,
  signalId,
} from "../support/partition.ts";

/** A partition whose state can be looked into. */
const partition = () => {
  const of = { logId: LOG_ID, partition: 0, partitions: 1 };
  const state = new PartitionState(of);
  const evaluation = new PartitionEvaluation(of, state);
  const sink = new CollectingSink();
  let offset = 0;
  const append = (outgoing: OutgoingRecord, atMs: number) =>
    evaluation.apply(asRecord(outgoing, offset++, atMs), sink);
  return {
    sink,
    append,
    change: (...changes: readonly Parameters<typeof changeRecord>[0][]) => {
      for (const change of changes) append(changeRecord(change, 0), START_MS);
    },
    read: (n: number, strength: number, atMs: number) =>
      append({ value: new TextEncoder().encode(readingLine(signalId(n), atMs, strength)) }, atMs),
    ask: (fields: Partial<PendingQuestion> = {}): PendingAnswer => {
      const any = { signalIds: null, ruleIds: null, severities: null };
      const slices = pendingAlerts(state, { questionId: "q", accountId: accountId(1), ...any, ...fields });
      for (let step = slices.next(); ; step = slices.next()) {
        if (step.done) return step.value;
        state.pace.begin();
      }
    },
  };
};

test("what waits is told with since when, the newest first, until it fires or ends", () => {
  const { append, change, read, ask, sink } = partition();
  change(ruleChange(1, { forSeconds: 60 }), ruleChange(2, { forSeconds: 0 }));
  for (const n of [1, 2, 3]) change(signalChange(n));
  read(1, -85, START_MS + 1_000);
  read(2, -90.5, START_MS + 2_000);
  read(3, -40, START_MS + 3_000);
  const { alerts, truncated } = ask();
  expect([truncated, alerts.map(({ signalId: of }) => of)]).toEqual([false, [signalId(2), signalId(1)]]);
  expect(Alert.parse(alerts[0])).toMatchObject({
    ruleId: ruleId(1),
    state: "pending",
    pendingSince: "2026-01-01T00:00:02.000Z",
    firedAt: null,
    value: -90.5,
    limit: -80,
  });
  const question = { accountId: accountId(1), signalIds: null, ruleIds: null, severities: null };
  append(pendingQuestionRecord({ questionId: "q1", ...question }, 0), START_MS + 3_000);
  expect(sink.pending.get("q1")).toEqual({ alerts, truncated });
  expect(ask({ signalIds: [signalId(1)] }).alerts).toEqual([alerts[1]]);
  expect(ask({ ruleIds: [ruleId(2)] }).alerts).toEqual([]);
  expect(ask({ severities: ["critical"] }).alerts).toEqual([]);
  expect(ask({ alertIds: alerts.slice(1).map(({ id }) => id) }).alerts).toEqual([alerts[1]]);
  expect(ask({ accountId: accountId(2) }).alerts).toEqual([]);
  read(1, -40, START_MS + 4_000);
  expect(ask().alerts).toEqual([alerts[0]]);
  read(2, -91, START_MS + 62_000);
  expect(ask().alerts).toEqual([]);
  // It is the very alert that fires.
  expect(sink.events.find(({ event }) => event.data.alert?.ruleId === ruleId(1))?.event.data.alert?.id).toBe(
    alerts[0]?.id,
  );
});

test("of a rule with levels the hardest that waits counts, and none once another fires", () => {
  const { change, read, ask } = partition();
  const levels = [
    { severity: "warning" as const, value: -80 },
    { severity: "critical" as const, value: -90 },
  ];
  change(ruleChange(1, { forSeconds: 60, levels, condition: { operator: "below" } }), signalChange(1));
  read(1, -85, START_MS + 1_000);
  expect(ask().alerts).toMatchObject([{ severity: "warning", limit: -80 }]);
  read(1, -95, START_MS + 5_000);
  expect(ask().alerts).toMatchObject([
    { severity: "critical", limit: -90, pendingSince: "2026-01-01T00:00:01.000Z" },
  ]);
  read(1, -95, START_MS + 61_000);
  expect(ask().alerts).toEqual([]);
});

test("the newest are told of very many, and that there are more", () => {
  const { change, read, ask } = partition();
  change(ruleChange(1, { forSeconds: 60 }));
  const count = 2 * PENDING_ALERTS_MAX + 10;
  for (let n = 1; n <= count; n++) {
    change(signalChange(n));
    read(n, -85, START_MS + n);
  }
  const { alerts, truncated } = ask();
  expect([alerts.length, truncated, alerts[0]?.signalId]).toEqual([
    PENDING_ALERTS_MAX,
    true,
    signalId(count),
  ]);
  expect(ask({ signalIds: [signalId(1)] })).toMatchObject({
    alerts: [{ signalId: signalId(1) }],
    truncated: false,
  });
});

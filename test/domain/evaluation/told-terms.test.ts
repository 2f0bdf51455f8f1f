import { describe, expect, test } from "vitest";
import { WebhookId } from "../../../schemas/common.ts";
import type { Severity } from "../../../schemas/condition.ts";
import { PartitionEvaluation } from "../../../src/domain/evaluation/evaluation.ts";
import { SnapshotRestore } from "../../../src/domain/evaluation/snapshot-restore.ts";
import { tickRecord } from "../../../src/domain/records.ts";
import {
  accountId,
  asRecord,
  CollectingSink,
  LOG_ID,
  ruleChange,
  ruleId,
  signalChange,
  signalId,
  TestPartition,
} from "../../support/partition.ts";
import { silence } from "../../support/reference/history.ts";

const OF = { logId: LOG_ID, partition: 0, partitions: 1 };
const webhookId = (n: number) => WebhookId.parse(signalId(n).replace("sig_", "whk_"));
const notify = (n: number) => ({ webhookIds: [webhookId(n)] });
const LEVELS = {
  condition: { operator: "below" as const },
  levels: [
    { severity: "warning" as const, value: -80 },
    { severity: "critical" as const, value: -90 },
  ],
};

const ready = (settings: Parameters<typeof ruleChange>[1] = LEVELS): TestPartition => {
  const partition = new TestPartition().change(ruleChange(1, settings), signalChange(1));
  partition.news();
  return partition;
};

/** What each alert event says of the terms under which it was told before. */
const toldAs = (partition: Pick<TestPartition, "news">) =>
  partition
    .news()
    .flatMap(({ event, data: { alert } }) => (alert === undefined ? [] : [{ event, toldAs: alert.toldAs }]));
const under = (severity: Severity, more: object = {}) => ({ severity, notify: null, labels: {}, ...more });

describe("who heard that an alert fires", () => {
  test("by a severity that it has no more is named by all that follows", () => {
    const partition = ready();
    expect(toldAs(partition.strengths(-85, -95, -85, -60))).toEqual([
      { event: "alert.firing", toldAs: undefined },
      { event: "alert.firing", toldAs: [under("warning")] },
      { event: "alert.firing", toldAs: [under("critical")] },
      { event: "alert.resolved", toldAs: [under("critical")] },
    ]);
  });

  test("as one of the rule's webhooks then is named when the rule has others, or is gone", () => {
    const partition = ready({ notify: notify(1) })
      .strengths(-90)
      .change(ruleChange(1, { notify: notify(2) }, 2));
    partition.news();
    const heard = [under("warning", { notify: notify(1) })];
    partition.change({ type: "ruleDeleted", accountId: accountId(1), revision: 3, ruleId: ruleId(1) });
    expect(toldAs(partition)).toEqual([{ event: "alert.resolved", toldAs: heard }]);
  });

  test("by the labels that the signal had is named once it has others", () => {
    const partition = ready({}).change(signalChange(1, { revision: 2, labels: { site: "north" } }));
    partition.strengths(-90).change(signalChange(1, { revision: 3, labels: { site: "south" } }));
    partition.news();
    const heard = [under("warning", { labels: { site: "north" } })];
    expect(toldAs(partition.strengths(-60))).toEqual([{ event: "alert.resolved", toldAs: heard }]);
  });

  test("is nobody as long as it is silenced", () => {
    const night = { type: "silence", accountId: accountId(1), revision: 1, silence: silence(1, {}) } as const;
    const partition = ready().change(night).strengths(-95, -85);
    partition.change({
      type: "silenceDeleted",
      accountId: accountId(1),
      revision: 2,
      silenceId: night.silence.id,
    });
    expect(toldAs(partition.strengths(-60)).map((one) => one.toldAs)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  test("is known after a restart, and for an alert that flaps until it is calm", () => {
    const partition = ready().strengths(-95, -60, -95, -60, -95, -60, -95, -60, -85);
    partition.news();
    const restore = new SnapshotRestore(OF);
    for (const bucket of [...partition.evaluation.snapshot().slices(3)].flat()) restore.bucket(bucket);
    const sink = new CollectingSink();
    const calm = { ...asRecord(tickRecord(0), partition.records.length, partition.now + 600_000) };
    new PartitionEvaluation(OF, restore.finish()).apply(calm, sink);
    expect(toldAs({ news: () => sink.events.map(({ event }) => event) })).toEqual([
      { event: "alert.firing", toldAs: [under("critical")] },
    ]);
  });

  test("names no more than ten terms, the newest", () => {
    const partition = ready({ ...LEVELS, flapDetection: false });
    for (let site = 1; site <= 12; site++)
      partition
        .change(signalChange(1, { revision: site + 1, labels: { site: `${site}` } }))
        .strengths(-85, -95);
    partition.news();
    const [resolved] = toldAs(partition.strengths(-60));
    expect(resolved?.toldAs).toHaveLength(9);
    expect(resolved?.toldAs?.at(0)).toEqual(under("warning", { labels: { site: "8" } }));
  });
});

import { describe, expect, test } from "vitest";
import {
  accountId,
  ruleChange,
  ruleId,
  signalChange,
  signalId,
  TestPartition,
} from "../../support/partition.ts";

const deletion = (n: number, revision = 9) =>
  ({ type: "signalDeleted", signalId: signalId(n), accountId: accountId(1), revision }) as const;

/** Signal 1 firing under rule 1, threshold 0.3 broken too; nothing told yet. */
const failing = (): TestPartition => {
  const partition = new TestPartition().change(ruleChange(1), signalChange(1, { threshold: 0.3 }));
  partition.strengths(-90);
  partition.news();
  return partition;
};

describe("a signal's change", () => {
  test("makes an unknown signal, and copies and older revisions do nothing", () => {
    const partition = new TestPartition().change(signalChange(1, { revision: 2 }));
    const [created] = partition.news();
    expect(created).toMatchObject({ event: "signal.created", sequence: 1 });
    expect(created?.data.signal).toMatchObject({
      id: signalId(1),
      status: "active",
      strength: null,
      reasons: [],
    });
    partition.change(signalChange(1, { revision: 2 }), signalChange(1, { revision: 1, name: "older" }));
    expect(partition.kinds()).toEqual([]);
  });

  test("tells the old values of what changed, and nothing when nothing that shows did", () => {
    const partition = new TestPartition().change(signalChange(1, { labels: { a: "1" } }));
    partition.news();
    partition.change(
      signalChange(1, { revision: 2, name: "new", labels: { a: "2" }, externalId: "x" }),
      signalChange(1, { revision: 3, name: "new", labels: { a: "2" }, externalId: "x" }),
    );
    const [updated, ...more] = partition.news();
    expect(more).toEqual([]);
    expect(updated?.event).toBe("signal.updated");
    expect(updated?.data.previous).toEqual({ name: "signal 1", labels: { a: "1" }, externalId: null });
    expect(updated?.data.signal).toMatchObject({ name: "new", labels: { a: "2" }, externalId: "x" });
  });

  test("that takes the broken limit away recovers the signal at once, in one event", () => {
    const partition = new TestPartition().change(signalChange(1, { threshold: 0.3 }));
    partition.strengths(-90);
    expect(partition.kinds()).toEqual(["signal.created", "signal.failed"]);
    partition.change(signalChange(1, { revision: 2, threshold: 0.2 }));
    const [updated, ...more] = partition.news();
    expect(more).toEqual([]);
    expect(updated?.data.previous).toMatchObject({
      threshold: 0.3,
      status: "failed",
      reasons: [{ value: 0.2 }],
    });
    expect(updated?.data.signal?.status).toBe("active");
  });

  test("that sets a limit which the newest reading breaks fails it at once", () => {
    const partition = new TestPartition().change(signalChange(1));
    partition.strengths(-90);
    partition.news();
    partition.change(signalChange(1, { revision: 2, threshold: 0.3 }));
    const [updated, failed] = partition.news();
    expect(updated?.data.previous).toEqual({ threshold: 0 });
    expect(failed).toMatchObject({
      event: "signal.failed",
      data: { reasons: [{ kind: "threshold", value: 0.2 }] },
    });
  });

  test("of ceiling or floor judges the newest strength by its new quality", () => {
    const partition = new TestPartition().change(signalChange(1, { threshold: 0.3 }));
    partition.strengths(-80);
    partition.news();
    partition.change(signalChange(1, { threshold: 0.3, floorDbm: -95, revision: 2 }));
    expect(partition.kinds()).toEqual(["signal.updated"]);
    partition.change(signalChange(1, { threshold: 0.3, floorDbm: -92, revision: 3 }));
    expect(partition.kinds()).toEqual(["signal.updated", "signal.failed"]);
  });

  test("of labels resolves the alert of a rule that no longer selects it", () => {
    const labels = { site: "north" };
    const partition = new TestPartition().change(
      ruleChange(1, { select: { labels } }),
      signalChange(1, { labels }),
    );
    partition.strengths(-90);
    partition.news();
    partition.change(signalChange(1, { labels: { site: "south" }, revision: 2 }));
    const [resolved, updated, ...more] = partition.news();
    expect(more).toEqual([]);
    expect(resolved?.data.alert).toMatchObject({ state: "resolved", resolveReason: "ruleChanged" });
    expect(updated?.data.previous).toMatchObject({ labels, status: "failed" });
    expect(partition.strengths(-90).kinds()).toEqual([]);
  });
});

describe("a paused signal", () => {
  test("has its alerts resolved, keeps its newest reading moving, and is not evaluated", () => {
    const partition = failing();
    partition.change(signalChange(1, { threshold: 0.3, paused: true, revision: 2 }));
    const [resolved, updated, ...more] = partition.news();
    expect(more).toEqual([]);
    expect(resolved?.data.alert?.resolveReason).toBe("paused");
    expect(updated?.data.previous).toMatchObject({
      status: "failed",
      reasons: [{ kind: "threshold" }, { kind: "rule" }],
    });
    expect(updated?.data.signal).toMatchObject({ status: "paused", reasons: [] });
    partition.evaluation.takeLive(10);
    expect(partition.strengths(-120).kinds()).toEqual([]);
    expect(partition.evaluation.takeLive(10)).toMatchObject([{ strength: -120, status: "paused" }]);
  });

  test("starts clean when it is resumed: the next reading decides", () => {
    const partition = failing();
    partition.change(signalChange(1, { threshold: 0.3, paused: true, revision: 2 }));
    partition.strengths(-120);
    partition.news();
    partition.change(signalChange(1, { threshold: 0.3, revision: 3 }));
    expect(partition.news().map(({ event, data }) => [event, data.previous])).toEqual([
      ["signal.updated", { status: "paused" }],
    ]);
    expect(partition.strengths(-120).kinds()).toEqual(["alert.firing", "signal.failed"]);
  });

  test("may be made paused", () => {
    const partition = new TestPartition().change(signalChange(1, { paused: true, threshold: 1 }));
    expect(
      partition
        .strengths(-90)
        .news()
        .map(({ data }) => data.signal?.status),
    ).toEqual(["paused"]);
  });
});

describe("a deleted signal", () => {
  test("has its alerts resolved, says so once, and its later readings are dead letters for a day", () => {
    const partition = failing();
    partition.change(deletion(1), deletion(1), signalChange(1, { revision: 3 }));
    const [resolved, deleted, ...more] = partition.news();
    expect(more).toEqual([]);
    expect(resolved?.data.alert?.resolveReason).toBe("signalDeleted");
    expect(deleted).toMatchObject({ event: "signal.deleted", data: { previous: { status: "failed" } } });
    expect(partition.evaluation.takeLive(10)).toEqual([]);
    partition.read({ signal: 1, strength: -60 });
    partition.after(24 * 3600 * 1000).read({ signal: 1, strength: -60 });
    expect(partition.sink.deadLetters.map(({ problem }) => problem)).toEqual([
      "deleted_signal",
      "unknown_signal",
    ]);
  });

  test("that was never known leaves a tombstone and no event", () => {
    const partition = new TestPartition().change(deletion(1), signalChange(1));
    expect(partition.kinds()).toEqual([]);
  });

  test("makes room for another one", () => {
    const partition = new TestPartition().change(signalChange(1), deletion(1), signalChange(2));
    partition.read({ signal: 2, strength: -60 });
    expect(partition.evaluation.takeLive(10)).toMatchObject([{ signalId: signalId(2), strength: -60 }]);
    expect(partition.evaluation.signals).toBe(1);
  });
});

describe("a rule's change", () => {
  test("of anything that matters resolves its alerts; the rule acts again from the next reading on", () => {
    const changes: Parameters<typeof ruleChange>[1][] = [
      { condition: { operator: "below", value: -81 } },
      { severity: "critical" },
      { forSeconds: 1 },
      { keepFiringForSeconds: 1 },
      { failsSignal: false },
      { enabled: false },
      { select: { signalIds: [signalId(1)] } },
    ];
    for (const change of changes) {
      const partition = new TestPartition().change(ruleChange(1), signalChange(1));
      partition.strengths(-90);
      partition.news();
      partition.change(ruleChange(1, change, 2));
      const [resolved, updated, ...more] = partition.news();
      expect.soft(resolved?.data.alert?.resolveReason, JSON.stringify(change)).toBe("ruleChanged");
      expect.soft(updated?.data.previous?.status, JSON.stringify(change)).toBe("failed");
      expect.soft(more).toEqual([]);
    }
  });

  test("of its name goes on with the same alert under the new name", () => {
    const partition = new TestPartition().change(ruleChange(1), signalChange(1));
    const firing = partition.strengths(-90).news().at(-2);
    partition.change(ruleChange(1, { name: "renamed" }, 2));
    expect(partition.kinds()).toEqual([]);
    const [resolved] = partition.strengths(-60).news();
    expect(resolved?.data.alert).toMatchObject({
      id: firing?.data.alert?.id,
      ruleName: "renamed",
      state: "resolved",
    });
  });

  test("older or equal is a copy", () => {
    const partition = new TestPartition().change(ruleChange(1, {}, 2), signalChange(1));
    partition.news();
    partition.change(ruleChange(1, { enabled: false }, 2), ruleChange(1, { enabled: false }, 1));
    expect(partition.strengths(-90).kinds()).toEqual(["alert.firing", "signal.failed"]);
  });

  test("reaches only signals of its own account", () => {
    const partition = new TestPartition().change(ruleChange(1), signalChange(1, { accountId: accountId(2) }));
    expect(partition.strengths(-90).kinds()).toEqual(["signal.created"]);
  });

  test("that deletes it resolves its alerts, signals in the order of their ids, and it stays deleted", () => {
    const partition = new TestPartition().change(ruleChange(1), signalChange(2), signalChange(1));
    partition.read({ signal: 2, strength: -90 }, { signal: 1, strength: -90 });
    partition.news();
    const ruleDeleted = {
      type: "ruleDeleted",
      accountId: accountId(1),
      ruleId: ruleId(1),
      revision: 2,
    } as const;
    partition.change(ruleDeleted, ruleDeleted, ruleChange(1));
    expect(partition.news().map(({ data }) => [data.signal?.name, data.alert?.resolveReason])).toEqual([
      ["signal 1", "ruleDeleted"],
      ["signal 1", undefined],
      ["signal 2", "ruleDeleted"],
      ["signal 2", undefined],
    ]);
    expect(partition.strengths(-90).kinds()).toEqual([]);
  });
});

describe("what cannot be evaluated", () => {
  const bytes = (text: string) => ({ value: new TextEncoder().encode(text) });

  test("is a dead letter with its place and reason, and never an exception", () => {
    const partition = new TestPartition();
    partition.append(bytes(`junk\n${signalId(7)}\t${partition.now}\t-60\n`));
    partition.append({ ...bytes("{"), headers: { kind: "change" } });
    partition.append({ ...bytes("{}"), headers: { kind: "probe" } });
    partition.append({ ...bytes("x"), headers: { kind: "rumour" } });
    partition.append({ ...bytes("A batch is passed over."), headers: { kind: "unreadable" } });
    expect(partition.sink.deadLetters.map(({ problem, offset, line }) => [problem, offset, line])).toEqual([
      ["line_not_three_fields", 0, 0],
      ["unknown_signal", 0, 1],
      ["record_unreadable", 1, null],
      ["record_unreadable", 2, null],
      ["unknown_kind", 3, null],
      ["record_unreadable", 4, null],
    ]);
    expect(partition.sink.deadLetters[0]?.text).toBe("junk");
  });
});

describe("a probe", () => {
  test("says what each condition would do, and changes nothing", () => {
    const partition = new TestPartition().change(
      ruleChange(1, { forSeconds: 10 }),
      ruleChange(2, { condition: { operator: "above", value: -70 }, failsSignal: false, name: "loud" }),
      signalChange(1, { threshold: 0.2, noDataAfterSeconds: 60 }),
    );
    partition.news();
    const { quality, verdict } = partition.probe(signalId(1), -60);
    expect(quality).toBe(0.8);
    expect(verdict).toEqual({
      known: true,
      status: "active",
      conditions: [
        {
          kind: "threshold",
          outcome: "ok",
          limit: 0.2,
          explanation: "−60 dBm is quality 0.8; fails below 0.2",
        },
        {
          kind: "rule",
          ruleId: ruleId(1),
          ruleName: "rule 1",
          outcome: "ok",
          limit: -80,
          explanation: "−60 dBm; fires below −80 dBm",
        },
        {
          kind: "rule",
          ruleId: ruleId(2),
          ruleName: "loud",
          outcome: "fires",
          limit: -70,
          explanation: "−60 dBm; fires above −70 dBm",
        },
        {
          kind: "noData",
          outcome: "ok",
          limit: 60,
          explanation: "a reading has come; fails after 60 s without one",
        },
      ],
    });
    expect(partition.probe(signalId(1), -95).verdict).toMatchObject({
      status: "failed",
      conditions: [{ outcome: "fails" }, { outcome: "pending" }, { outcome: "ok" }, {}],
    });
    expect(partition.kinds()).toEqual([]);
  });

  test("of a signal that is failed looks at the limits of recovery", () => {
    const partition = new TestPartition().change(ruleChange(1), signalChange(1, { threshold: 0.4 }));
    partition.strengths(-90);
    expect(partition.probe(signalId(1), -78).verdict).toMatchObject({
      status: "failed",
      conditions: [
        { outcome: "fails", explanation: "−78 dBm is quality 0.44; recovers at 0.45" },
        { outcome: "fails", explanation: "−78 dBm; clears at −77 dBm" },
        {},
      ],
    });
  });

  test("of an unknown name, or of another account's signal, tries the defaults", () => {
    const partition = new TestPartition().change(signalChange(1, { accountId: accountId(2), threshold: 1 }));
    for (const id of ["my own name", signalId(1)]) {
      expect.soft(partition.probe(id, -60).verdict).toMatchObject({ known: false, status: "active" });
    }
  });
});

import { describe, expect, onTestFinished, test } from "vitest";
import { SignalCreate } from "../../schemas/signal.ts";
import { startDeliver } from "../../src/deliver/deliver.ts";
import { stateRows } from "../../src/deliver/projection.ts";
import { changeRecord, eventRecord } from "../../src/domain/records.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { GROUPS } from "../../src/ports/event-log.ts";
import { allRecords, openTestEngines, type TestEngines } from "../support/engines.ts";
import { accountId, signalChange, signalId, TestPartition } from "../support/partition.ts";
import { until } from "../support/until.ts";

/** A signal of control data, and a partition in memory that knows it. */
const withSignal = async ({ control }: TestEngines) => {
  const account = await control.accounts.first();
  const input = SignalCreate.parse({ name: "a", threshold: 0.5, noDataAfterSeconds: null });
  const made = await control.signals.create(account.id, input);
  if (!made.ok) throw new Error(made.reason);
  const partition = new TestPartition();
  partition.append(changeRecord({ type: "signal", signal: made.value.definition }, 0));
  const { id } = made.value.definition;
  return { account: account.id, id, definition: made.value.definition, partition };
};

const start = async (engines: TestEngines) => {
  const worker = await startDeliver({ ...engines, sender: null });
  onTestFinished(() => worker.stop());
  return worker;
};

describe("the deliver worker", () => {
  test("carries status, reasons and sequence into control data, and commits", async () => {
    const engines = await openTestEngines();
    const { log, control } = engines;
    const { account, id, partition } = await withSignal(engines);
    await start(engines);
    const line = `${id}\t${partition.now}\t-90\n`;
    partition.append({ value: new TextEncoder().encode(line) });
    await log.append("events", partition.sink.events.map(eventRecord));
    const stored = await until("the failure", async () => {
      const signal = await control.signals.get(account, id);
      return signal?.status === "failed" ? signal : null;
    });
    expect(stored.sequence).toBe(2);
    expect(stored.reasons).toMatchObject([{ kind: "threshold", value: 0.2 }]);
    await until("the commit", async () => (await log.committed(GROUPS.deliver, "events")).get(0) === 2);
  });

  test("tries again what failed in a way nobody expected, and says so meanwhile", async () => {
    const engines = await openTestEngines();
    const { log, control } = engines;
    const { account, id, partition } = await withSignal(engines);
    let broken = true;
    const transaction: ControlStore["transaction"] = async (work) => {
      if (broken) throw new Error("nobody thought of this");
      return control.transaction(work);
    };
    const worker = await start({ ...engines, control: { ...control, transaction } });
    partition.append({ value: new TextEncoder().encode(`${id}\t${partition.now}\t-90\n`) });
    await log.append("events", partition.sink.events.map(eventRecord));
    await until("the failure to show", () => worker.health()[0]?.state === "degraded");
    expect(worker.health()[0]?.detail).toContain("nobody thought of this");
    broken = false;
    await until("the state", async () => (await control.signals.get(account, id))?.status === "failed");
    await until("health", () => worker.health()[0]?.state === "ok");
  });

  test("goes past a record that is no event, and says so", async () => {
    const engines = await openTestEngines();
    const { log } = engines;
    await start(engines);
    await log.append("events", [{ value: new TextEncoder().encode("{}") }]);
    await until("the commit", async () => (await log.committed(GROUPS.deliver, "events")).get(0) === 1);
    expect((await engines.telemetry.metrics.expose()).text).toContain("deliver_event_unreadable_total 1");
    expect(await allRecords(log, "events")).toHaveLength(1);
  });
});

describe("the projection", () => {
  test("takes the newest of each signal, paused as active, and deletion as the end", () => {
    const partition = new TestPartition().change(
      signalChange(1, { threshold: 0.5 }),
      signalChange(2),
      signalChange(3),
    );
    partition.strengths(-90).change(signalChange(2, { paused: true, revision: 2 }), {
      type: "signalDeleted",
      signalId: signalId(3),
      accountId: accountId(1),
      revision: 2,
    });
    const { events } = partition.sink;
    const rows = stateRows([...events, ...events]);
    expect(rows.map(({ signalId: id, sequence, status }) => [id, sequence, status])).toEqual([
      [signalId(1), 2, "failed"],
      [signalId(2), 2, "active"],
      [signalId(3), 2, "deleted"],
    ]);
  });
});

import { expect, test } from "vitest";
import { readingLine } from "../../src/domain/reading-line.ts";
import { openTestEngines } from "../support/engines.ts";
import { allEvaluated, change, eventsOnce, faulty, start } from "../support/evaluate.ts";
import { ruleChange, signalChange, signalId } from "../support/partition.ts";
import { until } from "../support/until.ts";

const SIGNALS = 5_000;

test("waits within a record that fails every signal until its first events are durable, and takes no snapshot", async () => {
  const engines = await openTestEngines();
  const { log, control, telemetry } = engines;
  let isHeld = false;
  const released = Promise.withResolvers<void>();
  const slow = faulty(log, async (topic, records, options) => {
    if (topic === "events" && isHeld) await released.promise;
    return log.append(topic, records, options);
  });
  const worker = await start({ ...engines, log: slow }, { snapshotEveryMs: 1 });
  const everySignal = Array.from({ length: SIGNALS }, (_, n) => n);
  await change(log, ruleChange(1), ruleChange(2), ...everySignal.map((n) => signalChange(n)));
  await eventsOnce(log, SIGNALS);
  await allEvaluated(log);
  const end = (await log.bounds("readings"))[0]?.end ?? 0;
  await until("a snapshot of it", async () => (await control.snapshots.newest(0))?.offset === end);

  isHeld = true;
  const lines = everySignal.map((n) => readingLine(signalId(n), Date.now(), -90)).join("");
  await log.append("readings", [{ value: new TextEncoder().encode(lines) }]);
  const queued = await until("the queue to be full", async () => {
    const { text } = await telemetry.metrics.expose();
    const count = Number(/^evaluate_events_queued\{partition="0"\} (\d+)$/m.exec(text)?.[1]);
    return count > 10_000 ? count : null;
  });
  expect(queued).toBeLessThan(10_500);
  expect((await control.snapshots.newest(0))?.offset).toBe(end);
  released.resolve();
  const all = await eventsOnce(log, 4 * SIGNALS);
  expect(all).toHaveLength(4 * SIGNALS);
  expect(new Set(all.map(({ id }) => id)).size).toBe(4 * SIGNALS);
  await allEvaluated(log);
  expect(worker.health()).toMatchObject([{ state: "ok" }]);
});

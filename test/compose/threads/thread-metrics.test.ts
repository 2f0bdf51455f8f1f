import { setImmediate as endOfTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { systemEntropy } from "../../../src/adapters/system/clock.ts";
import { threadMetrics } from "../../../src/compose/threads/thread-metrics.ts";
import { ManualClock } from "../../support/clock.ts";
import { testTelemetry } from "../../support/telemetry.ts";

/** A thread of which each question is noted, and answered by the test. */
const asked = () => {
  const clock = new ManualClock();
  const telemetry = testTelemetry();
  const values: PromiseWithResolvers<readonly object[]>[] = [];
  const totals: (PromiseWithResolvers<number | null> & { of: unknown })[] = [];
  const calls = {
    metricValues: () => {
      const question = Promise.withResolvers<readonly object[]>();
      values.push(question);
      return question.promise;
    },
    metricTotal: (...of: unknown[]) => {
      const question = { ...Promise.withResolvers<number | null>(), of };
      totals.push(question);
      return question.promise;
    },
  };
  const metrics = threadMetrics("record", calls, { clock, telemetry, entropy: systemEntropy });
  const leftOut = () => telemetry.metrics.total("thread_metrics_left_out_total", { thread: "record" });
  return { clock, metrics, values, totals, leftOut };
};

test("what a thread measured is told as it comes, to all who ask meanwhile", async () => {
  const { metrics, values, leftOut } = asked();
  const both = Promise.all([metrics.values(), metrics.values()]);
  values[0]?.resolve([{ name: "rows" }]);
  expect(await both).toEqual([[{ name: "rows" }], [{ name: "rows" }]]);
  void metrics.values();
  expect([values.length, await leftOut()]).toEqual([2, 0]);
});

test("a thread that does not answer in 2 s is left out and counted, and asked nothing more until it answers", async () => {
  const { clock, metrics, values, leftOut } = asked();
  const first = metrics.values();
  clock.advance(2_000);
  expect(await first).toEqual([]);
  expect(await metrics.values()).toEqual([]);
  expect([values.length, await leftOut()]).toEqual([1, 2]);
  values[0]?.resolve([{ name: "old" }]);
  await endOfTurn();
  const again = metrics.values();
  values[1]?.resolve([{ name: "new" }]);
  expect(await again).toEqual([{ name: "new" }]);
  expect(clock.pending).toBe(0);
});

test("a thread that ends with a question is left out, too", async () => {
  const { metrics, values, leftOut } = asked();
  const one = metrics.values();
  values[0]?.reject(new Error("closed"));
  expect([await one, await leftOut()]).toEqual([[], 1]);
});

test("totals of a silent thread are as it told them last, each by its name and labels", async () => {
  const { clock, metrics, totals } = asked();
  const of = ["rows_total", { topic: "readings" }] as const;
  const first = metrics.total(...of);
  totals[0]?.resolve(70);
  expect([await first, totals[0]?.of]).toEqual([70, of]);
  const second = metrics.total(...of);
  const other = metrics.total("other_total");
  clock.advance(2_000);
  expect([await second, await other]).toEqual([70, null]);
  expect(await metrics.total(...of)).toBe(70);
  expect(totals).toHaveLength(3);
});

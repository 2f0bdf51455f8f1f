import { expect, test } from "vitest";
import { prometheusMetrics } from "../../src/telemetry/telemetry.ts";

const linesOf = async (metrics: ReturnType<typeof prometheusMetrics>, name: string) =>
  (await metrics.expose()).text.split("\n").filter((line) => line.startsWith(name));

test("a gauge that is replaced tells nothing more of what went elsewhere", async () => {
  const metrics = prometheusMetrics();
  const lag = metrics.gauge("lag", "Records behind", ["partition"]);
  lag.replace([
    [7, { partition: "0" }],
    [9, { partition: "1" }],
  ]);
  lag.replace([[0, { partition: "1" }]]);
  expect(await linesOf(metrics, "lag")).toEqual(['lag{partition="1"} 0']);
  lag.replace([]);
  expect(await linesOf(metrics, "lag")).toEqual([]);
});

test("what a thread uses is told by its name where it is wanted, and by one of them what the process uses", async () => {
  const metrics = prometheusMetrics({ thread: "main", ofProcess: true });
  const other = prometheusMetrics({ thread: "record", ofProcess: false });
  metrics.include({ ...other, values: async () => structuredClone(await other.values()) });
  const lines = await linesOf(metrics, "process_resident_memory_bytes");
  expect(lines).toEqual([expect.stringMatching(/^process_resident_memory_bytes \d+$/)]);
  for (const name of ["nodejs_heap_size_used_bytes", "nodejs_eventloop_lag_p99_seconds"])
    expect(await linesOf(metrics, name)).toEqual([
      expect.stringMatching(/\{thread="main"\} \S+$/),
      expect.stringMatching(/\{thread="record"\} \S+$/),
    ]);
  expect(await linesOf(prometheusMetrics(), "process_")).toEqual([]);
  expect(await linesOf(prometheusMetrics(), "nodejs_")).toEqual([]);
});

test("a counter's total is of all its series, or of those with a label, and null where there is none", async () => {
  const metrics = prometheusMetrics();
  const rows = metrics.counter("rows_total", "Rows", ["topic", "kind"]);
  expect(await metrics.total("rows_total")).toBe(0);
  rows.add(3, { topic: "a", kind: "x" });
  rows.add(4, { topic: "a", kind: "y" });
  rows.add(50, { topic: "b", kind: "x" });
  expect(await metrics.total("rows_total")).toBe(57);
  expect(await metrics.total("rows_total", { topic: "a" })).toBe(7);
  metrics.gauge("depth", "Depth");
  expect([await metrics.total("depth"), await metrics.total("nobody_total")]).toEqual([null, null]);
});

test("what another thread measured is told as one with what was measured here", async () => {
  const here = prometheusMetrics({ thread: "main", ofProcess: true });
  const there = prometheusMetrics();
  for (const [metrics, factor] of [
    [here, 1],
    [there, 10],
  ] as const) {
    metrics.counter("rows_total", "Rows", ["topic"]).add(factor, { topic: "a" });
    metrics.gauge("waiting", "Waiting").set(2 * factor);
    metrics.gauge("newest", "Newest", [], "max").set(3 * factor);
    metrics.histogram("took_seconds", "Took").observe(factor);
  }
  there.counter("only_there_total", "Elsewhere").add(5);
  // As it comes out of a message.
  const exclude = here.include({
    total: there.total,
    values: async () => structuredClone(await there.values()),
  });
  const told = async (name: string) => (await linesOf(here, name)).map((line) => line.split(" ").at(-1));
  expect(await linesOf(here, "rows_total")).toEqual(['rows_total{topic="a"} 11']);
  expect([await told("waiting"), await told("newest")]).toEqual([["22"], ["30"]]);
  expect(await linesOf(here, "took_seconds_sum")).toEqual(["took_seconds_sum 11"]);
  expect([await here.total("rows_total"), await here.total("only_there_total")]).toEqual([11, 5]);
  expect(await told("process_resident_memory_bytes")).toHaveLength(1);
  exclude();
  expect(await linesOf(here, "rows_total")).toEqual(['rows_total{topic="a"} 1']);
  expect(await here.total("only_there_total")).toBeNull();
});

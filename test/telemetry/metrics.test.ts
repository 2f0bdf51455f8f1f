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

test("what the process uses is told where it is wanted", async () => {
  const [line] = await linesOf(prometheusMetrics({ ofProcess: true }), "process_resident_memory_bytes");
  expect(Number(line?.split(" ")[1])).toBeGreaterThan(2 ** 20);
  expect(await linesOf(prometheusMetrics(), "process_")).toEqual([]);
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

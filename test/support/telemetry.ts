import type { Telemetry } from "../../src/ports/telemetry.ts";
import { pinoLogger, prometheusMetrics } from "../../src/telemetry/telemetry.ts";

/** Real telemetry that prints nothing unless TEST_LOG names a level. */
export const testTelemetry = (): Telemetry => ({
  log: pinoLogger(process.env.TEST_LOG ?? "silent"),
  metrics: prometheusMetrics(),
});

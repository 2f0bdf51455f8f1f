import type { Metrics } from "../../ports/telemetry.ts";

export const postgresMetrics = (metrics: Metrics) => ({
  waiting: metrics.gauge("control_waiting", "Callers that wait for a connection to control data"),
});

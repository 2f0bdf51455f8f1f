import { pino } from "pino";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Logger, Metrics, Telemetry } from "../ports/telemetry.ts";

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics in a registry of their own: one for each composed service, so that tests do not share counts. */
export const prometheusMetrics = (): Metrics => {
  const registry = new Registry();
  const made = new Map<string, Counter | Gauge | Histogram>();
  const once = <T extends Counter | Gauge | Histogram>(
    name: string,
    make: () => T,
    kind: new (...a: never[]) => T,
  ): T => {
    const found = made.get(name);
    if (found instanceof kind) return found;
    if (found !== undefined) throw new Error(`metric ${name} exists as another kind`);
    const metric = make();
    made.set(name, metric);
    return metric;
  };
  const config = (name: string, help: string, labelNames: readonly string[]) => ({
    name,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  });
  return {
    counter: (name, help, labels = []) => {
      const counter = once(name, () => new Counter(config(name, help, labels)), Counter);
      return { add: (count, values = {}) => counter.inc({ ...values }, count) };
    },
    gauge: (name, help, labels = []) => {
      const gauge = once(name, () => new Gauge(config(name, help, labels)), Gauge);
      return { set: (value, values = {}) => gauge.set({ ...values }, value) };
    },
    histogram: (name, help, labels = []) => {
      const make = () => new Histogram({ ...config(name, help, labels), buckets: LATENCY_SECONDS });
      const histogram = once(name, make, Histogram);
      return { observe: (seconds, values = {}) => histogram.observe({ ...values }, seconds) };
    },
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};

/** pino's own line format on `destination`, one JSON object a line. */
export const pinoLogger = (level: string, destination?: { write(line: string): void }): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? pino.destination({ fd: 2, sync: true }),
  );

export const telemetryAt = (level: string): Telemetry => ({
  log: pinoLogger(level),
  metrics: prometheusMetrics(),
});

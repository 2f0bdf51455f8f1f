import { isatty } from "node:tty";
import { type DestinationStream, pino } from "pino";
import pretty from "pino-pretty";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Logger, Metrics, Telemetry } from "../ports/telemetry.ts";

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics in a registry of their own: one for each composed service, so that tests do not share counts. `ofProcess`:
 * those of the process, too, by the names that every Prometheus client gives them (memory, CPU, event loop).
 */
export const prometheusMetrics = ({ ofProcess = false } = {}): Metrics => {
  const registry = new Registry();
  if (ofProcess) collectDefaultMetrics({ register: registry });
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
      return {
        set: (value, values = {}) => gauge.set({ ...values }, value),
        replace: (all) => {
          gauge.reset();
          for (const [value, values] of all) gauge.set({ ...values }, value);
        },
      };
    },
    histogram: (name, help, labels = []) => {
      const make = () => new Histogram({ ...config(name, help, labels), buckets: LATENCY_SECONDS });
      const histogram = once(name, make, Histogram);
      return { observe: (seconds, values = {}) => histogram.observe({ ...values }, seconds) };
    },
    total: async (name, labels = {}) => {
      const counter = made.get(name);
      if (!(counter instanceof Counter)) return null;
      const { values } = await counter.get();
      const wanted = Object.entries(labels);
      return values
        .filter(({ labels: own }) => wanted.every(([label, value]) => own[label] === value))
        .reduce((sum, { value }) => sum + value, 0);
    },
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};

/** Where log lines go: JSON, one object a line, or words for a person at a terminal. */
const destinationAt = (descriptor: number): DestinationStream =>
  isatty(descriptor)
    ? pretty({ destination: descriptor, sync: true, singleLine: true, translateTime: "HH:MM:ss" })
    : pino.destination({ fd: descriptor, sync: true });

/** Log lines at `level` and above on `destination`, by default standard error. */
export const pinoLogger = (level: string, destination: DestinationStream = destinationAt(2)): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );

export const telemetryAt = (level: string): Telemetry => ({
  log: pinoLogger(level),
  metrics: prometheusMetrics({ ofProcess: true }),
});

import { isatty } from "node:tty";
import { type DestinationStream, pino } from "pino";
import pretty from "pino-pretty";
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Logger, Metrics, Telemetry } from "../ports/telemetry.ts";

const LATENCY_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** How often each event loop is looked at: more often, all threads together would keep an idle machine busy. */
const LAG_EVERY_MS = 50;

/** Over all series that have these labels; null for what is no counter. */
const ownTotal = async (
  metric: unknown,
  labels: Readonly<Record<string, string>>,
): Promise<number | null> => {
  if (!(metric instanceof Counter)) return null;
  const { values } = await metric.get();
  const wanted = Object.entries(labels);
  return values
    .filter(({ labels: own }) => wanted.every(([label, value]) => own[label] === value))
    .reduce((sum, { value }) => sum + value, 0);
};

/**
 * What every Prometheus client tells, by the names that it has there: of the whole process (memory, CPU, files), and of
 * the thread that asks (its heap, its event loop), with its name as a label.
 */
const ownUse = (thread: string) => {
  const [process, own] = [new Registry(), new Registry()];
  collectDefaultMetrics({ register: process, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  for (const { name } of process.getMetricsAsArray()) {
    const metric = process.getSingleMetric(name);
    if (!name.startsWith("nodejs_") || metric === undefined) continue;
    own.registerMetric(metric);
    process.removeSingleMetric(name);
  }
  own.setDefaultLabels({ thread });
  return { process, own };
};

/**
 * Metrics in a registry of their own: one for each composed service, so that tests do not share counts. `told`: whose
 * use of the machine is told along, that of the thread that asks, and of its process by one of its threads.
 */
export const prometheusMetrics = (
  told: { readonly thread: string; readonly ofProcess: boolean } | null = null,
): Metrics => {
  const registry = new Registry();
  const use = told === null ? null : ownUse(told.thread);
  const included = new Set<Pick<Metrics, "total" | "values">>();
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
  const values = async () => [
    ...(await registry.getMetricsAsJSON()),
    ...((await use?.own.getMetricsAsJSON()) ?? []),
  ];
  return {
    counter: (name, help, labels = []) => {
      const counter = once(name, () => new Counter(config(name, help, labels)), Counter);
      return { add: (count, values = {}) => counter.inc({ ...values }, count) };
    },
    gauge: (name, help, labels = [], together = "sum") => {
      const make = () => new Gauge({ ...config(name, help, labels), aggregator: together });
      const gauge = once(name, make, Gauge);
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
      const totals = await Promise.all([
        ownTotal(made.get(name), labels),
        ...[...included].map((other) => other.total(name, labels)),
      ]);
      const known = totals.filter((total) => total !== null);
      return known.length === 0 ? null : known.reduce((sum, total) => sum + total, 0);
    },
    expose: async () => {
      const others = await Promise.all([...included].map((other) => other.values()));
      const together = AggregatorRegistry.aggregate([await values(), ...others]);
      const ofProcess = told?.ofProcess ? await use?.process.metrics() : "";
      const texts = [ofProcess ?? "", await together.metrics()];
      return { contentType: registry.contentType, text: texts.filter((text) => text !== "").join("\n") };
    },
    values,
    include: (other) => {
      included.add(other);
      return () => included.delete(other);
    },
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
  metrics: prometheusMetrics({ thread: "main", ofProcess: true }),
});

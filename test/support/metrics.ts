import type { Metrics } from "../../src/ports/telemetry.ts";
import { prometheusMetrics } from "../../src/telemetry/telemetry.ts";

export type Kind = "counter" | "gauge" | "histogram";
export interface Known {
  readonly kind: Kind;
  readonly labels: readonly string[];
}

/** Real metrics that remember what was made of them. */
export const rememberedMetrics = (): { readonly metrics: Metrics; readonly made: Map<string, Known> } => {
  const made = new Map<string, Known>();
  const metrics = prometheusMetrics();
  const remember = (kind: Kind, name: string, labels: readonly string[] = []) =>
    void made.set(name, { kind, labels });
  return {
    made,
    metrics: {
      ...metrics,
      counter: (name, help, labels) => {
        remember("counter", name, labels);
        return metrics.counter(name, help, labels);
      },
      gauge: (name, help, labels, together) => {
        remember("gauge", name, labels);
        return metrics.gauge(name, help, labels, together);
      },
      histogram: (name, help, labels) => {
        remember("histogram", name, labels);
        return metrics.histogram(name, help, labels);
      },
    },
  };
};

const TYPE = /^# TYPE (\S+) (counter|gauge|histogram)$/gm;
const KINDS: Readonly<Record<string, Kind>> = { counter: "counter", gauge: "gauge", histogram: "histogram" };

const LABEL = /(\w+)="/g;

/** What every process and each of its threads tell of themselves. */
export const processMetrics = async (): Promise<Map<string, Known>> => {
  const { text } = await prometheusMetrics({ thread: "main", ofProcess: true }).expose();
  const labelsOf = (name: string) => {
    const [series = ""] = new RegExp(`^${name}\\{.*`, "m").exec(text) ?? [];
    return [...series.matchAll(LABEL)].map(([, label = ""]) => label);
  };
  return new Map(
    [...text.matchAll(TYPE)].map(([, name = "", kind = ""]) => [
      name,
      { kind: KINDS[kind] ?? "gauge", labels: labelsOf(name) },
    ]),
  );
};

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { logMetrics } from "../../src/adapters/kafka/metrics.ts";
import { postgresMetrics } from "../../src/adapters/postgres/metrics.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { openDataDirectory } from "../../src/compose/data-directory.ts";
import { closeEngines, openEngines } from "../../src/compose/engines.ts";
import { startService, WORKERS } from "../../src/compose/service.ts";
import { readConfig } from "../../src/config/config.ts";
import { fileText, yamlDocuments } from "../support/deploy.ts";
import { type Known, processMetrics, rememberedMetrics } from "../support/metrics.ts";
import { readPromQl } from "../support/promql.ts";
import { testTelemetry } from "../support/telemetry.ts";

/** Of the scrape, not of the program. */
const SCRAPED = new Map<string, Known>([["up", { kind: "gauge", labels: [] }]]);
const TARGET_LABELS = ["job", "instance", "worker"];

/** Every metric of the program: what the whole service makes when it starts, and what only other engines make. */
const metricsOfTheProgram = async (dataDirectory: string): Promise<ReadonlyMap<string, Known>> => {
  const { metrics, made } = rememberedMetrics();
  const surroundings = {
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: { ...testTelemetry(), metrics },
  };
  const outcome = readConfig({ DATA_DIR: dataDirectory, PORT: "0", DEMO: "false" }, () => "");
  if ("mistakes" in outcome) throw new Error(JSON.stringify(outcome.mistakes));
  const directory = await openDataDirectory(dataDirectory);
  const engines = await openEngines(directory, outcome.config, surroundings, "all");
  const service = await startService(engines, outcome.config, surroundings);
  await service.stop();
  await closeEngines(engines);
  directory.release();
  const ofKafka = rememberedMetrics();
  logMetrics(ofKafka.metrics);
  postgresMetrics(ofKafka.metrics);
  return new Map([...made, ...ofKafka.made, ...(await processMetrics()), ...SCRAPED]);
};

let known: ReadonlyMap<string, Known> = new Map();
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), "sos-"));
  known = await metricsOfTheProgram(directory);
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** A histogram is asked for by its parts. */
const find = (name: string): (Known & { readonly part: string }) | null => {
  const [, base = "", part = ""] = /^(.*?)(_bucket|_sum|_count)?$/.exec(name) ?? [];
  const whole = known.get(name);
  if (whole !== undefined) return { ...whole, part: "" };
  const histogram = known.get(base);
  return histogram?.kind === "histogram" ? { ...histogram, part } : null;
};

const OF_COUNTERS = ["rate", "irate", "increase"];
const OF_GAUGES = ["deriv", "delta", "predict_linear"];

/** What is wrong with an expression. */
const mistakesIn = (expression: string): string[] => {
  const { asked, groupedBy, mistakes } = readPromQl(expression);
  const labels = new Set(TARGET_LABELS);
  const found = [...mistakes];
  if (asked.length === 0) found.push("asks for nothing");
  for (const { metric, labels: chosenBy, within } of asked) {
    const one = find(metric);
    if (one === null || (one.kind === "histogram" && one.part === "")) {
      found.push(`no metric ${metric}`);
      continue;
    }
    const own = [...one.labels, ...(one.part === "_bucket" ? ["le"] : [])];
    for (const label of own) labels.add(label);
    for (const label of chosenBy)
      if (![...own, ...TARGET_LABELS].includes(label)) found.push(`${metric} has no label ${label}`);
    const isCounted = one.kind !== "gauge";
    if (isCounted && !OF_COUNTERS.includes(within ?? "")) found.push(`${metric} only ever grows`);
    if (!isCounted && OF_COUNTERS.includes(within ?? "")) found.push(`${metric} is no counter`);
    if (isCounted && OF_GAUGES.includes(within ?? "")) found.push(`${metric} is no gauge`);
  }
  for (const label of groupedBy) if (!labels.has(label)) found.push(`nothing has a label ${label}`);
  return found;
};

/** Labels that a text shows. */
const shown = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, label = ""]) => label);
const labelsOf = (expression: string): string[] => [
  ...TARGET_LABELS,
  ...readPromQl(expression).asked.flatMap(({ metric }) => find(metric)?.labels ?? []),
];

describe("what expressions are held to", () => {
  it.each([
    ["sum(rate(ingest_readings_total[5m])", ["something missing"]],
    ["ingest_reading_total", ["no metric ingest_reading_total"]],
    ["rate(evaluate_lag[5m])", ["evaluate_lag is no counter"]],
    ["ingest_readings_total > 5", ["ingest_readings_total only ever grows"]],
    ['evaluate_lag{topic="readings"}', ["evaluate_lag has no label topic"]],
    ["sum by (reason) (evaluate_lag)", ["nothing has a label reason"]],
    ["rate(log_append_seconds[5m])", ["no metric log_append_seconds"]],
    ["vector(1)", ["asks for nothing"]],
  ])("%s is wrong", (expression, mistakes) => {
    expect(mistakesIn(expression)).toEqual(mistakes.map((mistake) => expect.stringContaining(mistake)));
  });
});

describe("the alert rules", () => {
  const Rule = z.strictObject({
    alert: z.string().regex(/^Signals[A-Z]\w+$/),
    expr: z.string(),
    for: z
      .string()
      .regex(/^\d+[smh]$/)
      .optional(),
    labels: z.strictObject({ severity: z.enum(["page", "ticket"]) }),
    annotations: z.strictObject({ summary: z.string().min(10), description: z.string().min(40) }),
  });
  const Rules = z.strictObject({
    groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule).min(1) })),
  });
  const [document] = yamlDocuments("deploy/prometheus/alerts.yaml");
  const rules = Rules.parse(document).groups.flatMap((group) => group.rules);

  it.each(rules.map((rule) => [rule.alert, rule] as const))(
    "%s asks for what there is, and shows what it asked",
    (_, rule) => {
      expect(mistakesIn(rule.expr)).toEqual([]);
      const { summary, description } = rule.annotations;
      const labels = shown(`${summary} ${description}`, /\{\{\s*\$labels\.(\w+)\s*\}\}/g);
      expect(labels.filter((label) => !labelsOf(rule.expr).includes(label))).toEqual([]);
      // What it tells to look at is there, too.
      const named = `${description}`.match(/\b[a-z]+(_[a-z]+)+_total\b/g) ?? [];
      expect(named.filter((metric) => !known.has(metric))).toEqual([]);
    },
  );

  it("have names of their own, and are read by the scrape file", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    const [scrape] = yamlDocuments("deploy/prometheus/prometheus.yaml");
    const Scrape = z.looseObject({
      rule_files: z.tuple([z.literal("alerts.yaml")]),
      scrape_configs: z.array(
        z.looseObject({
          dns_sd_configs: z.array(z.looseObject({ names: z.array(z.string()), port: z.literal(8080) })),
          relabel_configs: z.array(
            z.looseObject({ target_label: z.string(), replacement: z.string().optional() }),
          ),
          authorization: z.object({ credentials_file: z.string() }).optional(),
        }),
      ),
    });
    const jobs = Scrape.parse(scrape).scrape_configs;
    const names = jobs.flatMap((job) => job.dns_sd_configs.flatMap((each) => each.names));
    expect(names.sort()).toEqual([...WORKERS].sort());
    for (const { relabel_configs } of jobs)
      expect(relabel_configs.map(({ target_label }) => target_label)).toEqual(["job", "worker"]);
    const job = jobs[0]?.relabel_configs[0]?.replacement;
    expect(rules.some(({ expr }) => expr.includes(`job="${job}"`))).toBe(true);
  });
});

describe("the dashboard", () => {
  const Panel = z.looseObject({
    id: z.number(),
    title: z.string(),
    type: z.enum(["row", "stat", "timeseries"]),
    gridPos: z.object({ h: z.number(), w: z.number(), x: z.number(), y: z.number() }),
    targets: z
      .array(z.looseObject({ expr: z.string(), legendFormat: z.string(), refId: z.string() }))
      .default([]),
  });
  const Dashboard = z.looseObject({
    panels: z.array(Panel),
    templating: z.object({ list: z.array(z.looseObject({ name: z.string() })) }),
  });
  const { panels, templating } = Dashboard.parse(JSON.parse(fileText("deploy/grafana/dashboard.json")));
  const targets = panels.flatMap(({ title, targets }) =>
    targets.map(({ expr, legendFormat }) => [`${title}: ${legendFormat}`, expr, legendFormat] as const),
  );
  const plain = (expr: string) => expr.replaceAll("$__rate_interval", "1m");

  it.each(targets)("%s", (_, expr, legend) => {
    expect(mistakesIn(plain(expr))).toEqual([]);
    expect(shown(legend, /\{\{(\w+)\}\}/g).filter((label) => !labelsOf(plain(expr)).includes(label))).toEqual(
      [],
    );
    const variables = shown(expr, /\$(\w+)/g).filter((name) => name !== "__rate_interval");
    for (const name of variables) expect(templating.list.map((each) => each.name)).toContain(name);
  });

  it("has a place and a number for each panel", () => {
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: h * w }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    for (const { gridPos } of panels) expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
  });

  it("shows throughput, lag of every group, queues, failures, and what processes use", () => {
    const metrics = targets.flatMap(([, expr]) => readPromQl(plain(expr)).asked.map(({ metric }) => metric));
    for (const metric of [
      "ingest_readings_total",
      "evaluate_readings_total",
      "record_rows_total",
      "evaluate_lag",
      "record_lag",
      "deliver_lag",
      "evaluate_events_total",
      "deliver_attempts_total",
      "deliver_lanes",
      "deliver_webhooks_disabled_total",
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
    ])
      expect(metrics).toContain(metric);
  });
});

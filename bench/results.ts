import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { type Figures, type Measured, rounded } from "./bench.ts";
import { quantile } from "./quantiles.ts";

const Spread = z.object({ min: z.number(), median: z.number(), max: z.number() });
export type Spread = z.infer<typeof Spread>;

/** A file of bench/results. */
export const Kept = z.object({
  bench: z.string(),
  about: z.string(),
  at: z.iso.datetime(),
  machine: z.object({
    cpu: z.string(),
    cores: z.number(),
    memoryGib: z.number(),
    loadAverage: z.number(),
    commit: z.string(),
  }),
  versions: z.record(z.string(), z.string()),
  parameters: z.looseObject({}),
  runs: z.number().int().min(1),
  cases: z.array(
    z.object({
      name: z.string(),
      figures: z.record(z.string(), Spread),
      /** Of each run, in their order. */
      details: z.array(z.unknown()).optional(),
    }),
  ),
});
export type Kept = z.infer<typeof Kept>;

/** Over runs; the median of an even number is the lower of its two. */
const spread = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => rounded(quantile(sorted, share), 3);
  return { min: at(0), median: at(0.5), max: at(1) };
};

/** A figure that could not be had in every run, such as the cost of no readings at all, is left out. */
const spreads = (runs: readonly Figures[]): Record<string, Spread> => {
  const names = new Set(runs.flatMap((figures) => Object.keys(figures)));
  const valuesOf = (name: string) => runs.flatMap((figures) => figures[name] ?? []).filter(Number.isFinite);
  const measured = [...names].filter((name) => valuesOf(name).length === runs.length);
  return Object.fromEntries(measured.map((name) => [name, spread(valuesOf(name))]));
};

/** What several runs of a bench came to, case by case. */
export const folded = (measured: readonly Measured[]): Kept["cases"] => {
  const byName = Map.groupBy(measured, ({ name }) => name);
  return [...byName].map(([name, runs]) => {
    const details = runs.flatMap(({ detail }) => (detail === undefined ? [] : [detail]));
    const figures = spreads(runs.map((run) => run.figures));
    return { name, figures, ...(details.length === 0 ? {} : { details }) };
  });
};

export const RESULTS = new URL("./results/", import.meta.url);
/** What is kept, by the bench's name; files of another form are left out. */
export const keptResults = (): Kept[] =>
  readdirSync(RESULTS)
    .sort()
    .map((name) => Kept.safeParse(JSON.parse(readFileSync(new URL(name, RESULTS), "utf8"))))
    .flatMap(({ data }) => data ?? []);

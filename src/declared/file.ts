import { z } from "zod";
import { RuleCreate } from "../../schemas/rule.ts";
import { SignalCreate } from "../../schemas/signal.ts";
import { SourceCreate } from "../../schemas/source.ts";
import { DeclaredWebhook } from "../../schemas/webhook.ts";
import { type PlacedProblem, placedProblemsOf } from "../domain/field-problems.ts";
import { settingsProblem } from "../domain/webhooks/settings-problem.ts";
import { type Mistake, readYaml } from "./placed-yaml.ts";
import type { LookUp } from "./variables.ts";

/** In the order in which they are made. */
export const KINDS = ["signals", "sources", "rules", "webhooks"] as const;
export type Kind = (typeof KINDS)[number];
export const ONE = { signals: "signal", sources: "source", rules: "rule", webhooks: "webhook" } as const;

type Fields = Readonly<Record<string, unknown>>;

/** A signal, a source, a rule or a webhook as the file wants it. */
export interface Wanted {
  /** By what it is found again: a signal's external id, else its name. */
  readonly key: string;
  /** Its fields as written, and no more: what is not written is left as it is. */
  readonly written: Fields;
  /** The same with every default, as the service keeps it. */
  readonly whole: Fields;
}
export type WantedByKind = Readonly<Record<Kind, readonly Wanted[]>>;

/** What the schemas cannot say, and who reads the file can. */
export interface Checks {
  readonly source?: (source: SourceCreate) => readonly PlacedProblem[];
  readonly webhook?: (webhook: DeclaredWebhook) => readonly PlacedProblem[];
}

export const keyOf = (item: Fields): string => String(item.externalId ?? item.name ?? item.url);

/** A list that is left empty says nothing, as one that is left out. */
const list = z
  .array(z.unknown())
  .nullish()
  .transform((items) => items ?? []);
const ConfigFile = z.strictObject({ signals: list, sources: list, rules: list, webhooks: list });
const Written = z.record(z.string(), z.unknown());

type Read = { readonly wanted: Wanted } | { readonly problems: readonly PlacedProblem[] };
const reader =
  <T extends Fields>(schema: z.ZodType<T>, check: (settings: T) => readonly PlacedProblem[] = () => []) =>
  (given: unknown): Read => {
    const read = schema.safeParse(given);
    if (!read.success) return { problems: placedProblemsOf(read.error) };
    const problems = check(read.data);
    if (problems.length > 0) return { problems };
    const whole: Fields = { ...read.data };
    return { wanted: { key: keyOf(whole), written: Written.parse(given), whole } };
  };

/** What the API refuses just so, told here with its line. */
const unfitting = (webhook: DeclaredWebhook): PlacedProblem[] => {
  const problem = settingsProblem(webhook);
  return problem === null ? [] : [{ path: [problem.path], message: problem.message }];
};

const readersWith = ({ source, webhook }: Checks): Record<Kind, (given: unknown) => Read> => ({
  signals: reader(SignalCreate),
  sources: reader(SourceCreate, source),
  rules: reader(RuleCreate),
  webhooks: reader(DeclaredWebhook, (settings) => [...unfitting(settings), ...(webhook?.(settings) ?? [])]),
});

const isWithin = (outer: PlacedProblem, { path }: PlacedProblem): boolean =>
  outer.path.length <= path.length && outer.path.every((step, at) => String(step) === String(path[at]));

/**
 * What the file wants, in YAML or JSON: bodies as POST takes them, in lists by their kind. Or every mistake with its
 * line.
 */
export const readDeclared = (
  text: string,
  lookUp: LookUp,
  checks: Checks = {},
): { readonly wanted: WantedByKind } | { readonly mistakes: readonly Mistake[] } => {
  const yaml = readYaml(text, lookUp);
  if ("mistakes" in yaml) return yaml;
  const { content, problems: unset, mistakeOf } = yaml;
  const file = ConfigFile.safeParse(content);
  const problems = file.success ? [] : placedProblemsOf(file.error);
  const lists = Written.safeParse(content).data ?? {};
  const readers = readersWith(checks);
  const wantedOf = (kind: Kind): Wanted[] => {
    const byKey = new Map<string, Wanted>();
    for (const [index, item] of (list.safeParse(lists[kind]).data ?? []).entries()) {
      const read = readers[kind](item);
      if ("problems" in read)
        problems.push(...read.problems.map((one) => ({ ...one, path: [kind, index, ...one.path] })));
      else if (byKey.has(read.wanted.key))
        problems.push({ path: [kind, index], message: `${read.wanted.key} is there twice` });
      else byKey.set(read.wanted.key, read.wanted);
    }
    return [...byKey.values()];
  };
  const wanted = {
    signals: wantedOf("signals"),
    sources: wantedOf("sources"),
    rules: wantedOf("rules"),
    webhooks: wantedOf("webhooks"),
  };
  // What a variable would have filled cannot be judged.
  const judged = problems.filter((problem) => !unset.some((place) => isWithin(place, problem)));
  const mistakes = [...unset, ...judged].map(mistakeOf).sort((one, other) => one.line - other.line);
  return mistakes.length === 0 ? { wanted } : { mistakes };
};

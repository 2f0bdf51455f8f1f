import { z } from "zod";
import { RuleCreate } from "../../../schemas/rule.ts";
import { SignalCreate } from "../../../schemas/signal.ts";
import { SourceCreate } from "../../../schemas/source.ts";
import { type Environment, parseYaml, wrong } from "./yaml-file.ts";

/** What a configuration file may hold: bodies as the API takes them. */
const ConfigFile = z.strictObject({
  signals: z.array(SignalCreate).default([]),
  sources: z.array(SourceCreate).default([]),
  rules: z.array(RuleCreate).default([]),
});
const Written = z.object({
  signals: z.array(z.record(z.string(), z.unknown())).default([]),
  sources: z.array(z.record(z.string(), z.unknown())).default([]),
  rules: z.array(z.record(z.string(), z.unknown())).default([]),
});
export type Kind = keyof z.infer<typeof Written>;
export const KINDS: readonly Kind[] = ["signals", "sources", "rules"];

/** A signal, a source or a rule as the file wants it. */
export interface Wanted {
  /** By what it is found again: a signal's external id, else its name. */
  readonly key: string;
  /** Its fields as written, and no more: what is not written is left as it is. */
  readonly written: Readonly<Record<string, unknown>>;
  /** The same with every default, as the service keeps it. */
  readonly whole: Readonly<Record<string, unknown>>;
}
export type WantedByKind = Readonly<Record<Kind, readonly Wanted[]>>;

export const keyOf = (item: Readonly<Record<string, unknown>>): string =>
  String(item.externalId ?? item.name);

const doubles = (wanted: WantedByKind): string[] =>
  KINDS.flatMap((kind) => {
    const byKey = Map.groupBy(wanted[kind], ({ key }) => key);
    return [...byKey]
      .filter(([, ofKey]) => ofKey.length > 1)
      .map(([key]) => `${kind}: ${key} is there twice`);
  });

/** What the file wants; throws `UsageError` that names every mistake with its line. */
export const parseConfig = (path: string, text: string, environment: Environment): WantedByKind => {
  const { written: content, checked } = parseYaml(ConfigFile, path, text, environment);
  const written = Written.parse(content);
  const wantedOf = (kind: Kind): Wanted[] =>
    written[kind].map((one, index) => ({
      key: keyOf(one),
      written: one,
      whole: { ...checked[kind][index] },
    }));
  const wanted = { signals: wantedOf("signals"), sources: wantedOf("sources"), rules: wantedOf("rules") };
  const twice = doubles(wanted);
  if (twice.length > 0) throw wrong(path, twice);
  return wanted;
};

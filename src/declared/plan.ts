import { isDeepStrictEqual } from "node:util";
import { KINDS, type Kind, keyOf, ONE, type Wanted, type WantedByKind } from "./file.ts";

export type Item = Readonly<Record<string, unknown>> & { readonly id: string };
export type Present = Readonly<Record<Kind, readonly Item[]>>;

export interface FieldChange {
  readonly field: string;
  readonly from: unknown;
  readonly to: unknown;
}
export type Change =
  | { readonly action: "create"; readonly kind: Kind; readonly key: string; readonly body: Wanted["written"] }
  | {
      readonly action: "update";
      readonly kind: Kind;
      readonly key: string;
      readonly id: string;
      readonly fields: readonly FieldChange[];
      readonly body: Wanted["written"];
    }
  | { readonly action: "delete"; readonly kind: Kind; readonly key: string; readonly id: string };

/** What cannot be as the file wants it, because of what is there. */
export interface Refusal {
  readonly kind: Kind;
  readonly key: string;
  /** What is in the way, and what to do. */
  readonly message: string;
}
export interface Plan {
  /** In the order in which they are to be made. */
  readonly changes: readonly Change[];
  readonly refusals: readonly Refusal[];
}

/** How whoever asks sees what is there. */
export interface View {
  /** A field as the file wants it, in the form in which what is there is seen. */
  readonly shown: (kind: Kind, field: string, value: unknown) => unknown;
  /** Sent whatever is there: it cannot be seen whether it is the same. */
  readonly isResent: (kind: Kind, field: string, value: unknown) => boolean;
}
/** Nothing is hidden. */
export const OPEN_VIEW: View = { shown: (_kind, _field, value) => value, isResent: () => false };

const fieldChanges = (kind: Kind, { written, whole }: Wanted, item: Item, view: View): FieldChange[] =>
  Object.keys(written)
    .filter((field) => field !== "type")
    .map((field) => ({ field, from: item[field], to: view.shown(kind, field, whole[field]) }))
    .filter(
      ({ field, from, to }) => !isDeepStrictEqual(from, to) || view.isResent(kind, field, whole[field]),
    );

/**
 * What may be meant: by external id where one is written. A name alone means those without external id first: a source
 * may have made another of this name since.
 */
const meant = (wanted: Wanted, byKey: ReadonlyMap<string, readonly Item[]>): readonly Item[] => {
  const same = byKey.get(wanted.key) ?? [];
  if (wanted.whole.externalId != null) return same.filter(({ externalId }) => externalId === wanted.key);
  const named = same.filter(({ externalId }) => externalId == null);
  return named.length > 0 ? named : same;
};

type Step = Change | { readonly refused: string } | null;

const stepFor = (
  kind: Kind,
  wanted: Wanted,
  byKey: ReadonlyMap<string, readonly Item[]>,
  view: View,
): Step => {
  const { key, written, whole } = wanted;
  const [item, ...others] = meant(wanted, byKey);
  if (item === undefined) return { action: "create", kind, key, body: written };
  if (others.length > 0) {
    const ids = [item, ...others].map(({ id }) => id).join(", ");
    return { refused: `${ids} are all called so: rename all but one of them` };
  }
  if (item.type !== whole.type)
    return {
      refused: `it is of type ${item.type}, which cannot become ${whole.type}: delete it first, or give the new one another name`,
    };
  const fields = fieldChanges(kind, wanted, item, view);
  if (fields.length === 0) return null;
  const body = Object.fromEntries(fields.map(({ field }) => [field, written[field]]));
  return { action: "update", kind, key, id: item.id, fields, body };
};

/** Signals never: sources make them. */
const PRUNED = ["webhooks", "rules", "sources"] as const;
const pruned = (wanted: WantedByKind, present: Present): Change[] =>
  PRUNED.flatMap((kind) => {
    const keys = new Set(wanted[kind].map(({ key }) => key));
    return present[kind]
      .filter((item) => !keys.has(keyOf(item)))
      .map((item): Change => ({ action: "delete", kind, key: keyOf(item), id: item.id }));
  });

/** What it takes to make what is there what the file wants. `prune`: what it does not name is deleted. */
export const planned = (
  wanted: WantedByKind,
  present: Present,
  { prune, view }: { readonly prune: boolean; readonly view: View },
): Plan => {
  const changes: Change[] = [];
  const refusals: Refusal[] = [];
  for (const kind of KINDS) {
    const byKey = Map.groupBy(present[kind], keyOf);
    for (const one of wanted[kind]) {
      const step = stepFor(kind, one, byKey, view);
      if (step === null) continue;
      if ("refused" in step) refusals.push({ kind, key: one.key, message: step.refused });
      else changes.push(step);
    }
  }
  return { changes: [...changes, ...(prune ? pruned(wanted, present) : [])], refusals };
};

/** `source gateway: …` */
export const refusalText = ({ kind, key, message }: Refusal): string => `${ONE[kind]} ${key}: ${message}`;

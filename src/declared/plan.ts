import { isDeepStrictEqual } from "node:util";
import { isDemo } from "./demo.ts";
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
  | {
      readonly action: "delete";
      readonly kind: Kind;
      readonly key: string;
      readonly id: string;
      readonly isDemo: boolean;
    };

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
  /** Secrets that cannot be seen, and so may or may not be as the file wants them. */
  readonly uncompared: number;
}

/** How whoever asks sees what is there. */
export interface View {
  /** A field as the file wants it, in the form in which what is there is seen. */
  readonly shown: (kind: Kind, field: string, value: unknown) => unknown;
  /** How many secrets a field holds that are not seen, so that it cannot be said whether they are the same. */
  readonly hiddenIn: (kind: Kind, field: string, value: unknown) => number;
  /** Sends fields with such secrets whatever is there. */
  readonly resends: boolean;
}
/** Nothing is hidden. */
export const OPEN_VIEW: View = {
  shown: (_kind, _field, value) => value,
  hiddenIn: () => 0,
  resends: false,
};

const compared = (kind: Kind, { written, whole }: Wanted, item: Item, view: View) => {
  const fields = Object.keys(written)
    .filter((field) => field !== "type")
    .map((field) => ({
      change: { field, from: item[field], to: view.shown(kind, field, whole[field]) },
      hidden: view.hiddenIn(kind, field, whole[field]),
    }));
  const isSent = ({ change: { from, to }, hidden }: (typeof fields)[number]) =>
    !isDeepStrictEqual(from, to) || (view.resends && hidden > 0);
  const left = fields.filter((field) => !isSent(field));
  return {
    changes: fields.filter(isSent).map(({ change }) => change),
    uncompared: left.reduce((sum, { hidden }) => sum + hidden, 0),
  };
};

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

type Step = { readonly change: Change | null; readonly uncompared: number } | { readonly refused: string };

const stepFor = (
  kind: Kind,
  wanted: Wanted,
  byKey: ReadonlyMap<string, readonly Item[]>,
  view: View,
): Step => {
  const { key, written, whole } = wanted;
  const [item, ...others] = meant(wanted, byKey);
  if (item === undefined) return { change: { action: "create", kind, key, body: written }, uncompared: 0 };
  if (others.length > 0) {
    const ids = [item, ...others].map(({ id }) => id).join(", ");
    return { refused: `${ids} are all called so: rename all but one of them` };
  }
  if (item.type !== whole.type)
    return {
      refused: `it is of type ${item.type}, which cannot become ${whole.type}: delete it first, or give the new one another name`,
    };
  const { changes: fields, uncompared } = compared(kind, wanted, item, view);
  if (fields.length === 0) return { change: null, uncompared };
  const body = Object.fromEntries(fields.map(({ field }) => [field, written[field]]));
  return { change: { action: "update", kind, key, id: item.id, fields, body }, uncompared };
};

/** Signals never: sources make them. */
const PRUNED = ["webhooks", "rules", "sources"] as const;
const pruned = (wanted: WantedByKind, present: Present): Change[] =>
  PRUNED.flatMap((kind) => {
    const keys = new Set(wanted[kind].map(({ key }) => key));
    return present[kind]
      .filter((item) => !keys.has(keyOf(item)))
      .map((item): Change => {
        const { id } = item;
        return { action: "delete", kind, key: keyOf(item), id, isDemo: isDemo(kind, item) };
      });
  });

/** What it takes to make what is there what the file wants. `prune`: what it does not name is deleted. */
export const planned = (
  wanted: WantedByKind,
  present: Present,
  { prune, view }: { readonly prune: boolean; readonly view: View },
): Plan => {
  const changes: Change[] = [];
  const refusals: Refusal[] = [];
  let uncompared = 0;
  for (const kind of KINDS) {
    const byKey = Map.groupBy(present[kind], keyOf);
    for (const one of wanted[kind]) {
      const step = stepFor(kind, one, byKey, view);
      if ("refused" in step) {
        refusals.push({ kind, key: one.key, message: step.refused });
        continue;
      }
      if (step.change !== null) changes.push(step.change);
      uncompared += step.uncompared;
    }
  }
  return { changes: [...changes, ...(prune ? pruned(wanted, present) : [])], refusals, uncompared };
};

/** `source gateway: …` */
export const refusalText = ({ kind, key, message }: Refusal): string => `${ONE[kind]} ${key}: ${message}`;

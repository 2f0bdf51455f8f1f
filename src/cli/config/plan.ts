import { isDeepStrictEqual } from "node:util";
import { UsageError } from "../context.ts";
import { KINDS, type Kind, keyOf, type Wanted, type WantedByKind } from "./file.ts";
import { hidden, holdsSecret } from "./hidden.ts";

type Item = Readonly<Record<string, unknown>> & { readonly id: string };
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

export interface PlanOptions {
  /** Sources and rules that the file does not name are deleted; signals never, as sources make them. */
  readonly prune: boolean;
  /** What is written only is sent again: it cannot be seen whether it is the same. */
  readonly secrets: boolean;
}

const shownAs = (kind: Kind, field: string, value: unknown): unknown =>
  kind === "sources" ? hidden(field, value) : value;

const fieldChanges = (kind: Kind, { written, whole }: Wanted, item: Item, secrets: boolean): FieldChange[] =>
  Object.keys(written)
    .filter((field) => field !== "type")
    .map((field) => ({ field, from: item[field], to: shownAs(kind, field, whole[field]) }))
    .filter(
      ({ field, from, to }) =>
        !isDeepStrictEqual(from, to) || (secrets && kind === "sources" && holdsSecret(field, whole[field])),
    );

const found = (kind: Kind, wanted: Wanted, present: readonly Item[]): Item | null => {
  const same = present.filter((item) => keyOf(item) === wanted.key);
  if (same.length > 1) {
    const ids = same.map(({ id }) => id).join(", ");
    throw new UsageError(
      `${same.length} ${kind} are called ${wanted.key}: ${ids}`,
      "Rename all but one of them.",
    );
  }
  return same[0] ?? null;
};

const changeOf = (kind: Kind, wanted: Wanted, item: Item | null, secrets: boolean): Change | null => {
  const { key, written } = wanted;
  if (item === null) return { action: "create", kind, key, body: written };
  if (kind === "sources" && item.type !== wanted.whole.type)
    throw new UsageError(
      `source ${key} is of type ${item.type}, which cannot become ${wanted.whole.type}`,
      "Delete it first, or give the new one another name.",
    );
  const fields = fieldChanges(kind, wanted, item, secrets);
  if (fields.length === 0) return null;
  const body = Object.fromEntries(fields.map(({ field }) => [field, written[field]]));
  return { action: "update", kind, key, id: item.id, fields, body };
};

/** What it takes to make what is there what the file wants, in the order in which it is done. */
export const planned = (
  wanted: WantedByKind,
  present: Present,
  { prune, secrets }: PlanOptions,
): Change[] => {
  const changes = KINDS.flatMap((kind) =>
    wanted[kind].map((one) => changeOf(kind, one, found(kind, one, present[kind]), secrets)),
  );
  const pruned = (["rules", "sources"] as const).flatMap((kind) => {
    const keys = new Set(wanted[kind].map(({ key }) => key));
    return present[kind]
      .filter((item) => prune && !keys.has(keyOf(item)))
      .map((item): Change => ({ action: "delete", kind, key: keyOf(item), id: item.id }));
  });
  return [...changes.filter((change) => change !== null), ...pruned];
};

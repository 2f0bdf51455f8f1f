import { isDeepStrictEqual } from "node:util";

type Fields = Readonly<Record<string, unknown>>;

/** Of one field, as JSON: what is longer is cut. */
const FIELD_MAX = 2_000;

const cut = (value: unknown): unknown => {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= FIELD_MAX
    ? value
    : `${text.slice(0, FIELD_MAX).toWellFormed()}… (${text.length} characters)`;
};

/** A thing as it is kept, each field of bounded length. */
export const keptFields = (thing: object): Fields =>
  Object.fromEntries(Object.entries(thing).map(([name, value]) => [name, cut(value)]));

const picked = (thing: object, names: ReadonlySet<string>): Fields =>
  keptFields(Object.fromEntries(Object.entries(thing).filter(([name]) => names.has(name))));

/**
 * The fields in which two states of a thing differ, as it was and as it is; shown as `show` gives them: a secret that
 * changed is there, and not to be read.
 */
export const difference = <Thing extends object>(
  before: Thing,
  after: Thing,
  show: (thing: Thing) => object = (thing) => thing,
): { readonly before: Fields; readonly after: Fields } => {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const changed = new Set(
    [...was.keys(), ...is.keys()].filter((name) => !isDeepStrictEqual(was.get(name), is.get(name))),
  );
  return { before: picked(show(before), changed), after: picked(show(after), changed) };
};

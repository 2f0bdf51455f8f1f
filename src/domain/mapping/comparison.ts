import type { JSONValue } from "json-p3";
import { isObject } from "./json.ts";
import type { Work } from "./work.ts";

const CHARACTERS_PER_STEP = 64;

/** A value in a filter; undefined is the special result Nothing. */
export type Operand = JSONValue | undefined;
type Pair = readonly [left: Operand, right: Operand];

const spendOnTexts = (left: string, right: string, work: Work): void =>
  work.spend(Math.floor(Math.min(left.length, right.length) / CHARACTERS_PER_STEP));

/** Null if the two can only be equal if these pairs of their parts are. */
const unequalOrParts = (left: Operand, right: Operand): readonly Pair[] | null => {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length ? left.map((value, index): Pair => [value, right[index]]) : null;
  }
  if (!isObject(left) || !isObject(right)) return null;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return null;
  if (!names.every((name) => Object.hasOwn(right, name))) return null;
  return names.map((name): Pair => [left[name], right[name]]);
};

/** Deep equality (RFC 9535, 2.3.5.2.2), without recursion: a message may be as deep as it is long. */
const equal = (left: Operand, right: Operand, work: Work): boolean => {
  const open: Pair[] = [[left, right]];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [a, b] = pair;
    if (typeof a === "string" && typeof b === "string") spendOnTexts(a, b, work);
    if (a === b) continue;
    const parts = unequalOrParts(a, b);
    if (parts === null) return false;
    work.spend(parts.length);
    for (const part of parts) open.push(part);
  }
  return true;
};

const less = (left: Operand, right: Operand, work: Work): boolean => {
  if (typeof left === "number" && typeof right === "number") return left < right;
  if (typeof left !== "string" || typeof right !== "string") return false;
  spendOnTexts(left, right, work);
  return left < right;
};

export type Comparison = (left: Operand, right: Operand, work: Work) => boolean;

/** By operator (RFC 9535, 2.3.5.2.2). */
export const COMPARISONS: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ["==", equal],
  ["!=", (left, right, work) => !equal(left, right, work)],
  ["<", less],
  [">", (left, right, work) => less(right, left, work)],
  ["<=", (left, right, work) => less(left, right, work) || equal(left, right, work)],
  [">=", (left, right, work) => less(right, left, work) || equal(left, right, work)],
]);

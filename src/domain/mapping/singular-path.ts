import { type JSONPathQuery, type JSONValue, jsonpath } from "json-p3";
import { isObject } from "./json.ts";

/** The value that a singular query selects; undefined where there is none. */
export type Walk = (root: JSONValue | undefined) => JSONValue | undefined;

/** Own members only: a name such as `constructor` or `__proto__` must not reach what every object inherits. */
const nameStep = (name: string): Walk =>
  name in Object.prototype
    ? (value) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined)
    : (value) => (isObject(value) ? value[name] : undefined);

const indexStep =
  (index: number): Walk =>
  (value) =>
    Array.isArray(value) ? value[index < 0 ? value.length + index : index] : undefined;

/** The names of a singular query that has no indexes; null for any other. */
export const namesOfQuery = (query: JSONPathQuery): string[] | null => {
  if (!query.singularQuery()) return null;
  const names: string[] = [];
  for (const { selectors } of query.segments) {
    const [selector] = selectors;
    if (!(selector instanceof jsonpath.selectors.NameSelector)) return null;
    names.push(selector.name);
  }
  return names;
};

const stepsOf = (query: JSONPathQuery): Walk[] | null => {
  if (!query.singularQuery()) return null;
  const steps: Walk[] = [];
  for (const { selectors } of query.segments) {
    const [selector] = selectors;
    if (selector instanceof jsonpath.selectors.NameSelector) steps.push(nameStep(selector.name));
    else if (selector instanceof jsonpath.selectors.IndexSelector) steps.push(indexStep(selector.index));
    else return null;
  }
  return steps;
};

/** A singular query (RFC 9535, 2.3.5.1: names and indexes only) as plain property access. Null for any other. */
export const compileSingular = (query: JSONPathQuery): Walk | null => {
  const steps = stepsOf(query);
  if (steps === null) return null;
  return (root) => {
    let value = root;
    for (let i = 0; i < steps.length && value !== undefined; i++) value = steps[i]?.(value);
    return value;
  };
};

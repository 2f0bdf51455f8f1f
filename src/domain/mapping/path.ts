import { JSONPathEnvironment, type JSONPathQuery, type JSONValue, jsonpath } from "json-p3";
import { LINEAR_PATTERNS } from "./linear-patterns.ts";

/** A JSONPath made ready once. A value too deep or too large for the engine selects nothing. */
export interface CompiledPath {
  /** As written, for messages to humans. */
  readonly text: string;
  /** The first node selected; undefined where nothing is. */
  first(root: JSONValue): JSONValue | undefined;
  all(root: JSONValue): readonly JSONValue[];
}

/** The path cannot be used; the message says why, for whoever wrote it. */
export class PathError extends Error {
  override readonly name = "PathError";
}

type Step = (value: JSONValue | undefined) => JSONValue | undefined;
type JsonObject = { [key: string]: JSONValue };

export const isObject = (value: JSONValue | undefined): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Own members only: a name such as `constructor` or `__proto__` must not reach what every object inherits. */
const nameStep = (name: string): Step =>
  name in Object.prototype
    ? (value) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined)
    : (value) => (isObject(value) ? value[name] : undefined);

const indexStep =
  (index: number): Step =>
  (value) =>
    Array.isArray(value) ? value[index < 0 ? value.length + index : index] : undefined;

/** The steps of a singular query (RFC 9535, 2.3.5.1): names and indexes only. Null for any other. */
const stepsOf = (query: JSONPathQuery): Step[] | null => {
  if (!query.singularQuery()) return null;
  const steps: Step[] = [];
  for (const { selectors } of query.segments) {
    const [selector] = selectors;
    if (selector instanceof jsonpath.selectors.NameSelector) steps.push(nameStep(selector.name));
    else if (selector instanceof jsonpath.selectors.IndexSelector) steps.push(indexStep(selector.index));
    else return null;
  }
  return steps;
};

const walk =
  (steps: readonly Step[]) =>
  (root: JSONValue): JSONValue | undefined => {
    let value: JSONValue | undefined = root;
    for (let i = 0; i < steps.length && value !== undefined; i++) value = steps[i]?.(value);
    return value;
  };

const children = (value: JSONValue | undefined): readonly JSONValue[] =>
  Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];

const environment = new JSONPathEnvironment({ maxRecursionDepth: 100 });
for (const [name, filter] of Object.entries(LINEAR_PATTERNS)) environment.functionRegister.set(name, filter);

const parse = (path: string): JSONPathQuery => {
  try {
    return environment.compile(path);
  } catch (error) {
    throw new PathError(`${path} is no JSONPath: ${error instanceof Error ? error.message : error}`);
  }
};

const contained = <T>(select: () => T, otherwise: T): T => {
  try {
    return select();
  } catch {
    return otherwise;
  }
};

const byEngine = (text: string, query: JSONPathQuery): CompiledPath => ({
  text,
  first: (root) => contained(() => query.match(root)?.value, undefined),
  all: (root) => contained(() => query.query(root).values(), []),
});

const WILDCARD = "[*]";
const withoutWildcard = (path: string): Step[] | null =>
  path.endsWith(WILDCARD) ? contained(() => stepsOf(parse(path.slice(0, -WILDCARD.length))), null) : null;

/**
 * Makes an RFC 9535 JSONPath ready. Paths of names and indexes, with or without a last `[*]`, become plain property
 * access; all others run in json-p3's engine. Throws PathError.
 */
export const compilePath = (path: string): CompiledPath => {
  const query = parse(path);
  const single = stepsOf(query);
  if (single !== null) {
    const first = walk(single);
    const all = (root: JSONValue) => {
      const found = first(root);
      return found === undefined ? [] : [found];
    };
    return { text: path, first, all };
  }
  const many = withoutWildcard(path);
  if (many === null) return byEngine(path, query);
  const parent = walk(many);
  return { text: path, first: (root) => children(parent(root))[0], all: (root) => children(parent(root)) };
};

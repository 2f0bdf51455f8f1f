import { JSONPathEnvironment, type JSONPathQuery, type JSONValue } from "json-p3";
import { children } from "./json.ts";
import { PathError } from "./path-error.ts";
import { refuseCostly } from "./path-limits.ts";
import { compileQuery } from "./query.ts";
import { compileSingular, namesOfQuery, type Walk } from "./singular-path.ts";
import { Work } from "./work.ts";

export { PathError };

/** A JSONPath made ready once. `work` is what evaluating it may cost: that of `root`, if none is given. */
export interface CompiledPath {
  /** As written, for messages to humans. */
  readonly text: string;
  /** Made of names and indexes only: its work does not grow with the message. */
  readonly singular: boolean;
  /** The first node selected; undefined where nothing is. Throws WorkExceededError. */
  first(root: JSONValue, work?: Work): JSONValue | undefined;
  /** Throws WorkExceededError. */
  all(root: JSONValue, work?: Work): readonly JSONValue[];
}

const environment = new JSONPathEnvironment();

const parse = (path: string): JSONPathQuery => {
  try {
    return environment.compile(path);
  } catch (error) {
    throw new PathError(`${path} is no JSONPath: ${error instanceof Error ? error.message : error}`);
  }
};

const singular = (text: string, walk: Walk): CompiledPath => ({
  text,
  singular: true,
  first: walk,
  all: (root) => {
    const found = walk(root);
    return found === undefined ? [] : [found];
  },
});

const fromAll = (text: string, all: (root: JSONValue, work: Work) => readonly JSONValue[]): CompiledPath => ({
  text,
  singular: false,
  first: (root, work = new Work(root)) => all(root, work)[0],
  all: (root, work = new Work(root)) => all(root, work),
});

const WILDCARD = "[*]";
/** What stands before a last `[*]`, if it can be. */
const beforeWildcard = (path: string): JSONPathQuery | null => {
  if (!path.endsWith(WILDCARD)) return null;
  try {
    return environment.compile(path.slice(0, -WILDCARD.length));
  } catch {
    return null;
  }
};

/** The names that lead to a value, if nothing but names does. Throws PathError. */
export const namesTo = (path: string): string[] | null => namesOfQuery(parse(path));
/** The names that lead to what a last `[*]` selects all members of; as `namesTo`. */
export const namesToAll = (path: string): string[] | null => {
  const parent = beforeWildcard(path);
  return parent === null ? null : namesOfQuery(parent);
};

/**
 * Makes an RFC 9535 JSONPath ready. Paths of names and indexes, with or without a last `[*]`, become plain property
 * access; what all others may cost is bounded by the message they are evaluated on. Throws PathError.
 */
export const compilePath = (path: string): CompiledPath => {
  const query = parse(path);
  const single = compileSingular(query);
  if (single !== null) return singular(path, single);
  const before = beforeWildcard(path);
  const parent = before === null ? null : compileSingular(before);
  if (parent !== null) {
    return fromAll(path, (root, work) => {
      const found = children(parent(root));
      work.spend(found.length);
      return found;
    });
  }
  refuseCostly(path, query);
  const nodes = compileQuery(query);
  return fromAll(path, (root, work) => nodes(root, { root, work }));
};

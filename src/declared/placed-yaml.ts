import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from "yaml";
import { type PlacedProblem, pathText } from "../domain/field-problems.ts";
import { type LookUp, withVariables } from "./variables.ts";

/** What is wrong in a text, and in which of its lines, from 1. */
export interface Mistake {
  readonly line: number;
  readonly message: string;
}
export interface PlacedYaml {
  /** As JSON would have it, with the environment's variables filled in. */
  readonly content: unknown;
  /** Where the variables that nobody has set are named. */
  readonly problems: readonly PlacedProblem[];
  readonly mistakeOf: (problem: PlacedProblem) => Mistake;
}

const startOf = (node: unknown): number | null => (isNode(node) ? (node.range?.[0] ?? null) : null);

/** One step down: the value, and where what names it stands. */
const child = (node: unknown, key: PropertyKey): readonly [node: unknown, offset: number | null] | null => {
  if (isSeq(node)) {
    const item = node.items[Number(key)];
    return item === undefined ? null : [item, startOf(item)];
  }
  if (!isMap(node)) return null;
  const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === String(key));
  return pair === undefined ? null : [pair.value, startOf(pair.key)];
};

/** Where something stands, or, where it is missing, what should hold it. */
const offsetOf = (document: Document, path: readonly PropertyKey[]): number => {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document);
    const found = child(node, key);
    if (found === null) return offset;
    node = found[0];
    offset = found[1] ?? offset;
  }
  return offset;
};

const danglingAliases = (document: Document) => {
  const found: { offset: number; message: string }[] = [];
  visit(document, {
    Alias: (_, alias) => {
      if (alias.resolve(document) === undefined)
        found.push({ offset: startOf(alias) ?? 0, message: `nothing above is called &${alias.source}` });
    },
  });
  return found;
};

/** What reads a field of this name leaves it out without a word. */
const prototypes = (document: Document) => {
  const found: { offset: number; message: string }[] = [];
  visit(document, {
    Pair: (_, { key }) => {
      if (isScalar(key) && key.value === "__proto__")
        found.push({ offset: startOf(key) ?? 0, message: "nothing may be called __proto__" });
    },
  });
  return found;
};

/** What stands in a document; throws where its aliases name themselves or would grow beyond all measure. */
const contentOf = (document: Document): unknown => JSON.parse(JSON.stringify(document.toJS() ?? {}));

/** Reads YAML, of which JSON is a part, so that every mistake in what it says can be told by its line. */
export const readYaml = (text: string, lookUp: LookUp): PlacedYaml | { readonly mistakes: Mistake[] } => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const mistakeAt = (offset: number, message: string): Mistake => ({
    line: lines.linePos(offset).line,
    message,
  });
  const broken = [
    ...document.errors.map(({ pos, message }) => mistakeAt(pos[0], message)),
    ...[...danglingAliases(document), ...prototypes(document)].map(({ offset, message }) =>
      mistakeAt(offset, message),
    ),
  ];
  if (broken.length > 0) return { mistakes: broken };
  try {
    const mistakeOf = ({ path, message }: PlacedProblem) =>
      mistakeAt(offsetOf(document, path), `${pathText(path)}${path.length > 0 ? ": " : ""}${message}`);
    return { ...withVariables(contentOf(document), lookUp), mistakeOf };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { mistakes: [mistakeAt(0, `its aliases cannot be followed: ${reason}`)] };
  }
};

export const mistakeText = ({ line, message }: Mistake): string => `line ${line}: ${message}`;

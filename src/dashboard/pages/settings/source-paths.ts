import { JSONPathEnvironment, type JSONValue } from "json-p3";
import { compilePath } from "../../../domain/mapping/path.ts";
import { fromItsRoot, isOfMessage } from "../../../domain/mapping/scoped-path.ts";

/** Where a value is in a message: names of objects and places in arrays, from the outside in. */
export type Place = readonly (string | number)[];

/** What a value stands for. */
export const PARTS = ["signal", "strength", "at"] as const;
export type Part = (typeof PARTS)[number];

/** The paths of a mapping, as `MappingPaths` has them; an empty one is not there. */
export type Paths = Readonly<Record<"each" | Part, string>>;

/** Of a longer list the others are not looked through: they are alike. */
const ELEMENTS_MAX = 200;
const environment = new JSONPathEnvironment();

/** RFC 9535: a name that needs no quotes. */
const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const segment = (one: string | number): string => {
  if (typeof one === "number") return `[${one}]`;
  return PLAIN_NAME.test(one) ? `.${one}` : `['${one.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}']`;
};
/** A JSONPath to a place, from `root`. */
export const pathText = (root: "$" | "$$", place: Place): string => root + place.map(segment).join("");

const startsWith = (place: Place, start: Place): boolean => start.every((one, n) => place[n] === one);

/** The list that a strength is in, if it is in one: the innermost, as there is one strength for each of its elements. */
const listOf = (strength: Place): Place | null => {
  const at = strength.findLastIndex((one) => typeof one === "number");
  return at < 0 ? null : strength.slice(0, at);
};

/** A part of a message, and where in it that is. */
interface Found {
  readonly place: Place;
  readonly value: JSONValue;
}

/** What a path selects; nothing, while it is none. */
const foundAt = (path: string, value: JSONValue): Found[] => {
  try {
    // Refuses what could keep the page busy.
    compilePath(path);
    return environment.query(path, value).nodes.map((node) => ({ place: node.location, value: node.value }));
  } catch {
    return [];
  }
};

/** What the readings of a message are made of. */
const elementsOf = (message: JSONValue, each: string): Found[] => {
  if (each !== "") return foundAt(fromItsRoot(each), message).slice(0, ELEMENTS_MAX);
  if (!Array.isArray(message)) return [{ place: [], value: message }];
  return message.slice(0, ELEMENTS_MAX).map((value, n) => ({ place: [n], value }));
};

/** Where in the message it is what a part's path selects of an element; null: nothing, or it is no path alone. */
const placeOf = (message: JSONValue, element: Found, path: string): Place | null => {
  if (isOfMessage(path)) return foundAt(fromItsRoot(path), message)[0]?.place ?? null;
  const [found] = foundAt(path, element.value);
  return found === undefined ? null : [...element.place, ...found.place];
};

/** What of a message a mapping reads, by paths from the message's root. */
export const partsOf = (message: JSONValue, paths: Paths): ReadonlyMap<string, Part> => {
  const parts = new Map<string, Part>();
  for (const element of elementsOf(message, paths.each))
    for (const part of PARTS) {
      const place = placeOf(message, element, paths[part]);
      if (place !== null) parts.set(pathText("$", place), part);
    }
  return parts;
};

/** That which a place is in. */
const around = (elements: readonly Found[], place: Place): Place | null =>
  elements.find((one) => startsWith(place, one.place))?.place ?? null;

/** What is gone through, once somebody has said where a strength is: what there was, where the strength is in it. */
const eachOf = (message: JSONValue, each: string, strength: Place): string => {
  const element = around(elementsOf(message, each), strength);
  if (element !== null && listOf(strength.slice(element.length)) === null) return each;
  const list = listOf(strength);
  return list === null ? "" : `${pathText("$", list)}[*]`;
};

/** The path of a part by what is gone through anew; empty where it would be wrong. */
const movedPath = (message: JSONValue, from: Paths, part: Part, elements: readonly Found[]): string => {
  const path = from[part];
  if (!path.startsWith("$") || isOfMessage(path)) return path;
  for (const element of elementsOf(message, from.each)) {
    const place = placeOf(message, element, path);
    if (place === null) continue;
    const next = around(elements, place);
    // What is one element's own is not that of more than that.
    if (next !== null && next.length >= element.place.length) return pathText("$", place.slice(next.length));
    if (element.place.length === 0) return pathText("$$", place);
  }
  return "";
};

/**
 * The paths once somebody has pointed at a value of a message and said what it is. What else they say stays, but for what
 * that makes wrong.
 */
export const pointedAt = (message: JSONValue, paths: Paths, part: Part, place: Place): Paths => {
  const each = part === "strength" ? eachOf(message, paths.each, place) : paths.each;
  const elements = elementsOf(message, each);
  // A value is one thing only.
  const was = partsOf(message, paths).get(pathText("$", place));
  const other = (one: Part): string => {
    if (one === was) return "";
    return each === paths.each ? paths[one] : movedPath(message, paths, one, elements);
  };
  const element = around(elements, place);
  const path = element === null ? pathText("$$", place) : pathText("$", place.slice(element.length));
  return { each, signal: other("signal"), strength: other("strength"), at: other("at"), [part]: path };
};

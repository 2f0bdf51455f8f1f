import { literal } from "./literal.ts";

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f", "0": "\0" };
const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);

const ITEM = /\s*(?:'((?:[^'\\]|\\.)*)'|(-?\d+(?:\.\d+)?))\s*(,|$)/sy;

/** The items of an array as ClickHouse writes it in text, each as a literal. */
const itemsOf = (name: string, text: string): string[] => {
  if (!/^\[.*\]$/s.test(text)) throw new RangeError(`parameter ${name} is no array`);
  const inner = text.slice(1, -1);
  const items: string[] = [];
  ITEM.lastIndex = 0;
  while (ITEM.lastIndex < inner.length) {
    const [, quoted, number, comma] = ITEM.exec(inner) ?? [];
    if (comma === undefined) throw new RangeError("an array parameter holds strings or numbers only");
    items.push(number ?? literal(unescaped(quoted ?? "")));
  }
  return items;
};

/** Types are ours, but for the engine they are text like any other. */
const TYPE = /^[A-Za-z0-9]+(\([A-Za-z0-9(), ']*\))?$/;
const INTEGER = /^-?\d+$/;

const literalOf = (name: string, type: string, text: string): string => {
  if (!TYPE.test(type)) throw new RangeError(`no type of a parameter: ${JSON.stringify(type)}`);
  if (type.startsWith("Array(")) return `CAST([${itemsOf(name, text).join(", ")}] AS ${type})`;
  if (text === "\\N") return `CAST(NULL AS ${type})`;
  const value = unescaped(text);
  if (type === "String") return literal(value);
  return /^U?Int\d+$/.test(type) && INTEGER.test(value)
    ? `to${type}(${value})`
    : `CAST(${literal(value)} AS ${type})`;
};

const PLACE = /\{\s*(\w+)\s*:\s*([^{}]+?)\s*\}/g;

/**
 * The query with the `param_<name>` of a request in their places, `{name:Type}`, from the text form of ClickHouse's HTTP
 * interface (tab-separated escapes; arrays in brackets with quoted strings). The library's own binding lets one query of
 * the process run at a time: beside a flood, where each waits for cores, forty a second were more than it could answer.
 * Throws RangeError at what cannot be read.
 */
export const withParameters = (query: string, search: URLSearchParams): string =>
  query.replaceAll(PLACE, (_, name: string, type: string) => {
    const text = search.get(`param_${name}`);
    if (text === null) throw new RangeError(`parameter ${name} is missing`);
    return literalOf(name, type, text);
  });

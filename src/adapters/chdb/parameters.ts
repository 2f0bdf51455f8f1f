/** What the engine binds: it escapes each itself, by its type. */
export type Parameter = string | number | null | readonly Parameter[];

const ESCAPES: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", b: "\b", f: "\f", "0": "\0" };
const unescaped = (text: string): string =>
  text.replace(/\\(.)/gs, (_, character: string) => ESCAPES[character] ?? character);

const ITEM = /\s*(?:'((?:[^'\\]|\\.)*)'|(-?\d+(?:\.\d+)?))\s*(,|$)/sy;

const parseArray = (text: string): Parameter[] => {
  const inner = text.slice(1, -1);
  const items: Parameter[] = [];
  ITEM.lastIndex = 0;
  while (ITEM.lastIndex < inner.length) {
    const [, quoted, number, comma] = ITEM.exec(inner) ?? [];
    if (comma === undefined) throw new RangeError("an array parameter holds strings or numbers only");
    items.push(quoted === undefined ? Number(number) : unescaped(quoted));
  }
  return items;
};

const isArray = (query: string, name: string): boolean =>
  new RegExp(`\\{\\s*${name}\\s*:\\s*Array\\b`).test(query);

/**
 * The `param_<name>` of a request as values, from the text form of ClickHouse's HTTP interface (tab-separated escapes;
 * arrays in brackets with quoted strings). Throws RangeError at what it cannot read.
 */
export const parametersOf = (query: string, search: URLSearchParams): Record<string, Parameter> => {
  const parameters: Record<string, Parameter> = {};
  for (const [key, text] of search) {
    if (!key.startsWith("param_")) continue;
    const name = key.slice("param_".length);
    if (!/^\w+$/.test(name)) throw new RangeError(`no name of a parameter: ${JSON.stringify(name)}`);
    if (isArray(query, name)) {
      if (!/^\[.*\]$/s.test(text)) throw new RangeError(`parameter ${name} is no array`);
      parameters[name] = parseArray(text);
    } else parameters[name] = text === "\\N" ? null : unescaped(text);
  }
  return parameters;
};

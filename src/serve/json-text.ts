const DEPTH_MAX = 32;
const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The index of the quote that ends a string which begins before `from`; the text's length when none does. */
const endOfString = (text: string, from: number): number => {
  let i = from;
  for (; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) break;
    if (code === BACKSLASH) i++;
  }
  return i;
};

/** `"a"` and `"\u0061"` are the same name. */
const nameOf = (quoted: string): string => {
  if (!quoted.includes("\\")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
};

/**
 * Why a JSON text is refused before it is parsed, null for none: it nests deeper than `depthMax`, or names something
 * twice in one object, of which parsers take the first, the last or both (RFC 8259, section 4). Stops at the first
 * fault, in one pass; whether the text is JSON at all is for the parser to say.
 */
export const faultOfJson = (text: string, depthMax = DEPTH_MAX): string | null => {
  /** The names so far of each open object; null for an array. */
  const open: (Set<string> | null)[] = [];
  let names: Set<string> | null = null;
  let awaitsName = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      const end = endOfString(text, i + 1);
      if (awaitsName && names !== null) {
        const name = nameOf(text.slice(i, end + 1));
        if (names.has(name)) return `names ${JSON.stringify(name.slice(0, 100))} twice in one object`;
        names.add(name);
        awaitsName = false;
      }
      i = end;
    } else if (code === OPEN_ARRAY || code === OPEN_OBJECT) {
      names = code === OPEN_OBJECT ? new Set() : null;
      awaitsName = names !== null;
      if (open.push(names) > depthMax) return `nests deeper than ${depthMax}`;
    } else if (code === CLOSE_ARRAY || code === CLOSE_OBJECT) {
      open.pop();
      names = open.at(-1) ?? null;
      awaitsName = false;
    } else if (code === COMMA) awaitsName = names !== null;
  }
  return null;
};

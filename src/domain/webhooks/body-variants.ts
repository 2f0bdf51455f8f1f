/** What frameworks make of a body that they parse and write again, and by what it is told. */
export interface BodyVariant {
  readonly name: string;
  readonly explanation: string;
  readonly body: string;
}

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, sorted(one)]));
};

/** With a space after each comma and colon, as Python's `json.dumps` writes; strings are left alone. */
const spaced = (json: string): string =>
  json.replaceAll(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) => (token.length === 1 ? `${token} ` : token));

const asciiOnly = (json: string): string =>
  json.replaceAll(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);

const variant = (name: string, explanation: string, body: string): BodyVariant => ({
  name,
  explanation,
  body,
});

/** No event nests so deep, and what does cannot be written again without a stack as deep. */
const DEPTH_MAX = 64;
const nestsDeep = (text: string): boolean => {
  let depth = 0;
  for (const char of text) {
    if (char === "[" || char === "{") depth++;
    else if (char === "]" || char === "}") depth--;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
};

const parsed = (text: string): unknown => {
  if (nestsDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/**
 * The bodies that `text` may stand for when it was parsed and written again, trimmed or encoded on its way, `text` as it
 * is first; so that the one which a signature fits says what happened.
 */
export const bodyVariants = (text: string): BodyVariant[] => {
  const asIs = variant("as_is", "as it is here", text);
  const ends = [
    variant("trimmed", "without the space at its ends", text.trim()),
    variant("newline", "with a line break at its end", `${text}\n`),
    variant("unix_lines", "with line feeds alone", text.replaceAll("\r\n", "\n")),
  ];
  const value = parsed(text);
  if (value === undefined) return [asIs, ...ends];
  const compact = JSON.stringify(value);
  const sortedJson = JSON.stringify(sorted(value));
  return [
    asIs,
    ...ends,
    variant("reserialised", "parsed and written again without spaces", compact),
    variant(
      "spaced",
      "parsed and written again with spaces after commas and colons (as Python does)",
      spaced(compact),
    ),
    variant("indented", "parsed and written again in lines", JSON.stringify(value, null, 2)),
    variant("ascii", "parsed and written again with \\u escapes", asciiOnly(compact)),
    variant(
      "ascii_spaced",
      "parsed and written again with spaces and \\u escapes (as Python's json.dumps)",
      spaced(asciiOnly(compact)),
    ),
    variant(
      "slashes",
      "parsed and written again with escaped slashes (as PHP's json_encode)",
      asciiOnly(compact).replaceAll("/", "\\/"),
    ),
    variant("sorted", "parsed and written again with its keys sorted", sortedJson),
    variant("sorted_spaced", "parsed and written again with sorted keys and spaces", spaced(sortedJson)),
  ];
};

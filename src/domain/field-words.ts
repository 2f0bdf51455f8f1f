import type { z } from "zod";

const KINDS: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  int: "a whole number",
  null: "null",
  number: "a number",
  object: "an object",
  record: "an object",
  string: "a string",
};
const kindText = (kind: string): string => KINDS[kind] ?? kind;

const BOUNDS: Readonly<Record<string, string>> = {
  ">=": "at least",
  ">": "more than",
  "<=": "at most",
  "<": "less than",
};

/** Zod's own messages, which are a programmer's, and what they say in words. What a schema says itself is left as it is. */
const WORDS: readonly [RegExp, (...found: string[]) => string][] = [
  [/^Invalid input: expected (\w+), received undefined$/, (kind = "") => `is needed: ${kindText(kind)}`],
  [
    /^Invalid input: expected (\w+), received (\w+)$/,
    (kind = "", given = "") => `must be ${kindText(kind)}, and is ${kindText(given)}`,
  ],
  [/^Invalid input: expected (".*")$/, (value = "") => `must be ${value}`],
  [
    /^Invalid option: expected one of (.+)$/,
    (values = "") => `must be one of ${values.replaceAll("|", ", ")}`,
  ],
  [
    /^Too (?:small|big): expected \w+ to be ([<>]=?)(\S+)$/,
    (bound = "", limit = "") => `must be ${BOUNDS[bound] ?? bound} ${limit}`,
  ],
  [
    /^Too (?:small|big): expected \w+ to have ([<>]=?)(\S+) (\w+)$/,
    (bound = "", limit = "", of = "") => `must have ${BOUNDS[bound] ?? bound} ${limit} ${of}`,
  ],
  [/^Invalid ISO datetime$/, () => "must be a time with its zone, such as 2026-01-31T09:00:00Z"],
  [/^Invalid URL$/, () => "must be a URL"],
];

export const wordsOf = (message: string): string => {
  for (const [pattern, words] of WORDS) {
    const found = pattern.exec(message);
    if (found !== null) return words(...found.slice(1));
  }
  return message;
};

const EXPECTED = /^Invalid input: expected (\w+), received (\w+)$/;

/** Of a union none of whose branches has what was given, whatever is in it: all that it may be. Null for any other. */
export const alternativesMessage = (branches: readonly (readonly z.core.$ZodIssue[])[]): string | null => {
  const alternatives: string[] = [];
  let given: string | null = null;
  for (const [issue, ...more] of branches) {
    if (issue === undefined || more.length > 0 || issue.path.length > 0) return null;
    const [, expected, received] = EXPECTED.exec(issue.message) ?? [];
    if (issue.code === "invalid_value")
      alternatives.push(...issue.values.map((value) => JSON.stringify(value)));
    else if (expected === undefined || received === undefined) return null;
    else {
      alternatives.push(kindText(expected));
      given = kindText(received);
    }
  }
  if (given === null || alternatives.includes(given) || alternatives.includes("an object")) return null;
  return `must be ${alternatives.join(" or ")}, and is ${given}`;
};

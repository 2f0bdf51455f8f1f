import { jsonpath } from "json-p3";
import { RE2JS } from "re2js";

const { ValueType, LogicalType } = jsonpath.FunctionExpressionType;
/** A pattern may be data, too (`match(@.a, @.b)`): only so many are remembered. */
const REMEMBERED_MAX = 32;

/** I-Regexp's dot is any character but line feed and carriage return (RFC 9485, 5.3); RE2's leaves out the former only. */
const withDots = (pattern: string): string =>
  pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === "." ? "[^\\n\\r]" : part));

const compiled = new Map<string, RE2JS | null>();
const patternOf = (text: string): RE2JS | null => {
  let pattern = compiled.get(text);
  if (pattern !== undefined) return pattern;
  try {
    pattern = RE2JS.compile(withDots(text));
  } catch {
    pattern = null;
  }
  if (compiled.size >= REMEMBERED_MAX) compiled.delete(compiled.keys().next().value ?? "");
  compiled.set(text, pattern);
  return pattern;
};

const filter = (holds: (pattern: RE2JS, text: string) => boolean) => ({
  argTypes: [ValueType, ValueType],
  returnType: LogicalType,
  call: (text: unknown, pattern: unknown): boolean => {
    if (typeof text !== "string" || typeof pattern !== "string") return false;
    const matcher = patternOf(pattern);
    return matcher !== null && holds(matcher, text);
  },
});

/**
 * RFC 9535's `match` and `search` in time linear in the text: a pattern comes from whoever makes a source, a text from
 * whoever it connects to, and neither may stall the process.
 */
export const LINEAR_PATTERNS = {
  match: filter((pattern, text) => pattern.matches(text)),
  search: filter((pattern, text) => pattern.matcher(text).find()),
};

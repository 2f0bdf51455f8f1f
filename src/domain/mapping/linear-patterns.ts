import { RE2JS } from "re2js";
import { PathError } from "./path-error.ts";
import type { Work } from "./work.ts";

/** Instructions of a compiled pattern: `[0-9]{1000}` has a thousand. */
const PROGRAM_MAX = 1_000;
/**
 * Most patterns take some 5 ns a character. Those whose automaton has more states than can be kept take up to 4 µs, and
 * can be told from others only by their being longer.
 */
const stepsPerCharacter = (instructions: number): number => 0.75 + (instructions / 16) ** 2;

/** I-Regexp's dot is any character but line feed and carriage return (RFC 9485, 5.3); RE2's leaves out the former only. */
const withDots = (pattern: string): string =>
  pattern.replaceAll(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === "." ? "[^\\n\\r]" : part));

const parse = (pattern: string): RE2JS | null => {
  try {
    return RE2JS.compile(withDots(pattern));
  } catch {
    return null;
  }
};

export type TextTest = (text: string, work: Work) => boolean;

const HOLDS = {
  match: (pattern: RE2JS, text: string) => pattern.matches(text),
  search: (pattern: RE2JS, text: string) => pattern.matcher(text).find(),
};

export const isPatternFunction = (name: string): name is keyof typeof HOLDS => Object.hasOwn(HOLDS, name);

/**
 * RFC 9535's `match` and `search` in time linear in the text: a pattern comes from whoever makes a source, a text from
 * whoever it connects to, and neither may stall the process. What is no pattern matches nothing. Throws PathError.
 */
export const compilePattern = (name: keyof typeof HOLDS, text: string): TextTest => {
  const pattern = parse(text);
  if (pattern === null) return () => false;
  const size = pattern.programSize();
  if (size > PROGRAM_MAX) throw new PathError(`the pattern ${text} is too large`);
  const steps = stepsPerCharacter(size);
  const holds = HOLDS[name];
  return (subject, work) => {
    work.spend(Math.ceil(subject.length * steps));
    return holds(pattern, subject);
  };
};

import { PathError } from "./path-error.ts";
import { compileScopedPath, type ScopedPath } from "./scoped-path.ts";
import { isPresent, textOf } from "./value.ts";
import type { SignalNameOf, SignalNameProblem } from "./visitor.ts";

export const NAME_CHARACTERS_MAX = 200;
const TOO_LONG = `the signal's name is longer than ${NAME_CHARACTERS_MAX} characters`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a name
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Why a sender's name cannot name a signal, in words; null if it can. Engines store it as UTF-8 text without NUL. */
export const signalNameProblem = (name: string): string | null => {
  if (name.length > NAME_CHARACTERS_MAX) return TOO_LONG;
  if (name.trim() === "") return "the signal's name is blank";
  if (CONTROL.test(name)) return "the signal's name has a control character";
  return name.isWellFormed() ? null : "the signal's name is no well-formed Unicode";
};

type Part = string | ScopedPath;

const absent = (path: string): SignalNameProblem => ({ problem: "absent", detail: `nothing at ${path}` });
const invalid = (path: string): SignalNameProblem => ({
  problem: "invalid",
  detail: `what is at ${path} is neither a text nor a number that keeps its digits`,
});

/** `{$…}` and `{$$…}` are paths, all else stands for itself. A `}` in a path's quoted name belongs to the name. */
const PLACEHOLDER = /\{(\$(?:[^}'"]|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*)\}/g;

const literal = (text: string): string => {
  if (!/[{}]/.test(text)) return text;
  throw new PathError(`${text}: a placeholder is written {$.path} or {$$.path}`);
};

const partsOf = (template: string): Part[] => {
  const parts: Part[] = [];
  let from = 0;
  for (const found of template.matchAll(PLACEHOLDER)) {
    if (found.index > from) parts.push(literal(template.slice(from, found.index)));
    parts.push(compileScopedPath(found[1] ?? ""));
    from = found.index + found[0].length;
  }
  if (from < template.length) parts.push(literal(template.slice(from)));
  return parts;
};

/** Not even looked up: to hash a long text for each element of its message would cost more than the message. */
const tooLong: SignalNameProblem = { problem: "invalid", detail: TOO_LONG };

const fromPath = (path: ScopedPath): SignalNameOf => {
  const [missing, wrong] = [absent(path.text), invalid(path.text)];
  return (element, message, work) => {
    const found = path.first(element, message, work);
    const text = isPresent(found) ? (textOf(found) ?? wrong) : missing;
    return typeof text === "string" && text.length > NAME_CHARACTERS_MAX ? tooLong : text;
  };
};

const fromTemplate = (parts: readonly Part[]): SignalNameOf => {
  const each: SignalNameOf[] = parts.map((part) => (typeof part === "string" ? () => part : fromPath(part)));
  return (element, message, work) => {
    let name = "";
    for (const nameOf of each) {
      const text = nameOf(element, message, work);
      if (typeof text !== "string") return text;
      name += text;
    }
    return name.length > NAME_CHARACTERS_MAX ? tooLong : name;
  };
};

/** What a name is put together of: texts that stand for themselves, and paths. Throws PathError. */
export const signalParts = (signal: string): readonly (string | ScopedPath)[] =>
  signal.startsWith("$") ? [compileScopedPath(signal)] : partsOf(signal);

/** A path, a template such as `{$$.device.id}/{$.gateway}`, or a fixed text for a feed of one signal. Throws PathError. */
export const compileSignalName = (signal: string): SignalNameOf =>
  signal.startsWith("$") ? fromPath(compileScopedPath(signal)) : fromTemplate(partsOf(signal));

/** Whether a name comes from the message at all: a fixed text says nothing about what kind of message it is. */
export const isFixedName = (signal: string): boolean =>
  signalParts(signal).every((part) => typeof part === "string");

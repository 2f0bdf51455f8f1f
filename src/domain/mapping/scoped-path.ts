import type { JSONValue } from "json-p3";
import { type CompiledPath, compilePath } from "./path.ts";
import type { Work } from "./work.ts";

/** A path that starts at the element (`$`) or at the whole message (`$$`). */
export interface ScopedPath {
  readonly text: string;
  /** Throws WorkExceededError. */
  first(element: JSONValue, message: JSONValue, work: Work): JSONValue | undefined;
}

/** Each message is looked through once, not for each of its elements. */
const oncePerMessage = (path: CompiledPath): CompiledPath["first"] => {
  const answers = new WeakMap<object, { readonly found: JSONValue | undefined }>();
  return (message, work) => {
    if (typeof message !== "object" || message === null) return path.first(message, work);
    const known = answers.get(message);
    if (known !== undefined) return known.found;
    const found = path.first(message, work);
    answers.set(message, { found });
    return found;
  };
};

const OF_MESSAGE = "$$";
/** Whether a path begins at the whole message. */
export const isOfMessage = (path: string): boolean => path.startsWith(OF_MESSAGE);
/** The path as it is from where it begins. */
export const fromItsRoot = (path: string): string => (isOfMessage(path) ? path.slice(1) : path);

/** `$$` instead of `$` at the start of a path: it begins at the message. Throws PathError. */
export const compileScopedPath = (text: string): ScopedPath => {
  const path = compilePath(fromItsRoot(text));
  if (!isOfMessage(text)) return { text, first: (element, _message, work) => path.first(element, work) };
  const first = path.singular ? path.first : oncePerMessage(path);
  return { text, first: (_element, message, work) => first(message, work) };
};

/** What picks the elements: there `$` and `$$` are both the message. Throws PathError. */
export const compileEach = (text: string): CompiledPath => compilePath(fromItsRoot(text));

import type { JSONValue } from "json-p3";
import { type CompiledPath, compilePath } from "./path.ts";

/** A path that starts at the element (`$`) or at the whole message (`$$`). */
export interface ScopedPath {
  readonly text: string;
  first(element: JSONValue, message: JSONValue): JSONValue | undefined;
}

/** `$$` instead of `$` at the start of a path: it begins at the message. Throws PathError. */
export const compileScopedPath = (text: string): ScopedPath => {
  if (!text.startsWith("$$")) {
    const path = compilePath(text);
    return { text, first: (element) => path.first(element) };
  }
  const path = compilePath(text.slice(1));
  return { text, first: (_element, message) => path.first(message) };
};

/** What picks the elements: there `$` and `$$` are both the message. Throws PathError. */
export const compileEach = (text: string): CompiledPath =>
  compilePath(text.startsWith("$$") ? text.slice(1) : text);

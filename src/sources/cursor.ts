import type { JSONValue } from "json-p3";
import type { PollCursor } from "../../schemas/source.ts";
import { compilePath } from "../domain/mapping/path.ts";
import { textOf } from "../domain/mapping/value.ts";
import { WorkExceededError } from "../domain/mapping/work.ts";
import { PLACE_CHARACTERS_MAX } from "./feed-place.ts";

/** What a message says of where the next poll goes on; null where it says nothing that can be used. */
export type CursorOf = (message: Buffer) => string | null;

const parsed = (message: Buffer): JSONValue => {
  try {
    return JSON.parse(message.toString("utf8"));
  } catch {
    return null;
  }
};

/** Of several values that `path` selects, the last. Throws PathError. */
export const compileCursor = (cursor: PollCursor | undefined): CursorOf => {
  if (cursor === undefined) return () => null;
  const path = compilePath(cursor.path);
  return (message) => {
    try {
      const text = textOf(path.all(parsed(message)).at(-1));
      return text !== null && text !== "" && text.length <= PLACE_CHARACTERS_MAX ? text : null;
    } catch (error) {
      if (error instanceof WorkExceededError) return null;
      throw error;
    }
  };
};

import type { z } from "zod";
import { InvalidCursorError } from "../ports/control-store.ts";

/** A place in a list as opaque text. */
export const encodeCursor = (place: object): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

/** The place that `encodeCursor` wrote; InvalidCursorError for anything else. */
export const decodeCursor = <T>(schema: z.ZodType<T>, cursor: string): T => {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch (cause) {
    throw new InvalidCursorError("the cursor cannot be read", { cause });
  }
};

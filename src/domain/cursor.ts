import type { z } from "zod";

/** A cursor that no list of ours gave. */
export class InvalidCursorError extends Error {
  override readonly name = "InvalidCursorError";
}

/** A place in a list as opaque text: base64url of JSON. */
export const encodeCursor = (place: object): string =>
  Buffer.from(JSON.stringify(place)).toString("base64url");

/** The place that `encodeCursor` wrote, in the terms of its list; InvalidCursorError for anything else. */
export const decodeCursor = <T>(place: z.ZodType<T>, cursor: string): T => {
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")));
  } catch {
    throw new InvalidCursorError("the cursor was not made by this list");
  }
};

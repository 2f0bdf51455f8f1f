import { z } from "zod";
import { SignalId } from "../../../schemas/common.ts";
import type { SignalSort } from "../../../schemas/signal.ts";
import { decodeCursor, InvalidCursorError } from "../../domain/cursor.ts";
import type { SignalList } from "../../ports/control-store.ts";
import { isStorable } from "./text.ts";

/** By a column, then by id. */
export const ORDERS = {
  name: { column: "name", direction: "asc", beyond: ">" },
  "-name": { column: "name", direction: "desc", beyond: "<" },
  createdAt: { column: "created_at", direction: "asc", beyond: ">" },
  "-createdAt": { column: "created_at", direction: "desc", beyond: "<" },
} as const satisfies Record<SignalSort, object>;

/** Where a page ended: the sort key and the id of its last signal. */
const Place = z.union([
  z.strictObject({ sort: z.enum(["name", "-name"]), key: z.string().refine(isStorable), id: SignalId }),
  z.strictObject({ sort: z.enum(["createdAt", "-createdAt"]), key: z.number().int(), id: SignalId }),
]);
export type Place = z.infer<typeof Place>;

/** Where the page begins, null at the list's beginning; throws InvalidCursorError. */
export const placeOf = ({ cursor, sort }: SignalList): Place | null => {
  if (cursor === undefined) return null;
  const place = decodeCursor(Place, cursor);
  if (place.sort !== sort) throw new InvalidCursorError(`the cursor belongs to the sort ${place.sort}`);
  return place;
};

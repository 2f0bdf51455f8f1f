import { z } from "zod";
import { encodeCursor } from "../../domain/cursor.ts";
import type { Paged } from "../../ports/control-store.ts";

/** A page of `limit` out of rows read with one more, which tells whether there is a next one. */
export const pageOf = <R, T>(
  rows: readonly R[],
  limit: number,
  item: (row: R) => T,
  place: (last: R) => object,
): Paged<T> => {
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const next = rows.length > limit && last !== undefined ? encodeCursor(place(last)) : null;
  return { items: shown.map(item), next };
};

/** The place in a list that is ordered by id. */
export const afterId = <I extends z.ZodType>(id: I) => z.strictObject({ id });
/** The place in a list that is ordered by a number. */
export const BeforeNumber = z.strictObject({ number: z.number().int() });

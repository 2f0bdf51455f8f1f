import { sql } from "kysely";
import { z } from "zod";
import { type AccountId, SignalId } from "../../../schemas/common.ts";
import type { SignalSort } from "../../../schemas/signal.ts";
import {
  InvalidCursorError,
  type Paged,
  type SignalList,
  type StoredSignal,
} from "../../ports/control-store.ts";
import { decodeCursor, pageOf } from "./cursor.ts";
import type { ControlContext } from "./engine.ts";
import { hasLabels, rareLabel } from "./signal-labels.ts";
import { selectStored, storedOf } from "./signal-row.ts";
import type { SignalRow } from "./tables.ts";
import { escapeLike, folded, isStorable } from "./text.ts";

const ORDERS = {
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

const placeOf = (cursor: string, sort: SignalSort) => {
  const place = decodeCursor(Place, cursor);
  if (place.sort !== sort) throw new InvalidCursorError(`the cursor belongs to the sort ${place.sort}`);
  return place;
};

const ordered = (context: ControlContext, { sort, cursor, limit }: SignalList) => {
  const { column, direction, beyond } = ORDERS[sort];
  const query = selectStored(context.db)
    .orderBy(`signal.${column}`, direction)
    .orderBy("signal.id", direction)
    .limit(limit + 1);
  if (cursor === undefined) return query;
  const { key, id } = placeOf(cursor, sort);
  const keyAndId = sql`(${sql.ref(`signal.${column}`)}, ${sql.ref("signal.id")})`;
  return query.where(sql<boolean>`${keyAndId} ${sql.raw(beyond)} (${key}, ${id})`);
};

const contains = (q: string) =>
  sql<boolean>`${sql.ref("signal.search")} like ${`%${escapeLike(folded(q))}%`} escape '\\'`;

/** A page of signals in the order of `sort`, then of id; names compare by code point. */
export const listSignals = async (
  context: ControlContext,
  accountId: AccountId,
  query: SignalList,
): Promise<Paged<StoredSignal>> => {
  const { status, labels = {}, q, limit, sort } = query;
  let page = ordered(context, query);
  if (![q ?? "", ...Object.values(labels)].every(isStorable)) return { items: [], next: null };
  const rare = await rareLabel(context.db, accountId, labels);
  // Rare: without the account's index in sight every planner starts from the label's signals, who are the account's.
  page =
    rare === null ? page.where("signal.account_id", "=", accountId) : page.where("signal.id", "in", rare);
  if (Object.keys(labels).length > 0) page = page.where((eb) => hasLabels(eb, labels));
  if (status !== undefined) page = page.where("signal.status", "=", status);
  if (q !== undefined) page = page.where(contains(q));
  const place = (row: SignalRow) => ({ sort, key: row[ORDERS[sort].column], id: row.id });
  return pageOf(await page.execute(), limit, storedOf, place);
};

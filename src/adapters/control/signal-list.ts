import { type SelectQueryBuilder, sql } from "kysely";
import { z } from "zod";
import { type AccountId, SignalId } from "../../../schemas/common.ts";
import type { SignalSort } from "../../../schemas/signal.ts";
import { decodeCursor, InvalidCursorError } from "../../domain/cursor.ts";
import type { Paged, SignalList, StoredSignal } from "../../ports/control-store.ts";
import { pageOf } from "./cursor.ts";
import type { ControlContext } from "./engine.ts";
import { hasLabels, rareMatches } from "./signal-labels.ts";
import { selectStored, storedOf } from "./signal-row.ts";
import { contains, rareParts } from "./signal-search.ts";
import type { ControlTables, SignalRow } from "./tables.ts";
import { isStorable } from "./text.ts";

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

type Ids = SelectQueryBuilder<ControlTables, "signal", { id: SignalId }>;

const beyondCursor = (ids: Ids, { sort, cursor }: SignalList): Ids => {
  if (cursor === undefined) return ids;
  const { key, id } = placeOf(cursor, sort);
  const { column, beyond } = ORDERS[sort];
  const keyAndId = sql`(${sql.ref(`signal.${column}`)}, ${sql.ref("signal.id")})`;
  return ids.where(sql<boolean>`${keyAndId} ${sql.raw(beyond)} (${key}, ${id})`);
};

const filtered = async (context: ControlContext, accountId: AccountId, query: SignalList): Promise<Ids> => {
  const { status, labels = {}, q } = query;
  let ids: Ids = context.db.selectFrom("signal").select("signal.id");
  const labelled = await rareMatches(context.db, accountId, labels);
  const found = labelled === null && q !== undefined ? await rareParts(context, accountId, q) : null;
  // Without the account in sight every planner starts from the few ids, which are the account's own.
  const few = labelled ?? found;
  ids = few === null ? ids.where("signal.account_id", "=", accountId) : ids.where("signal.id", "in", few);
  if (labelled === null) ids = ids.where((eb) => hasLabels(eb, labels));
  if (status !== undefined) ids = ids.where("signal.status", "=", status);
  if (q !== undefined && found === null) ids = ids.where(contains("signal.search", q));
  return beyondCursor(ids, query);
};

/**
 * A page of signals in the order of `sort`, then of id; names compare by code point. The page's ids are found within
 * one index, and only their rows are read.
 */
export const listSignals = async (
  context: ControlContext,
  accountId: AccountId,
  query: SignalList,
): Promise<Paged<StoredSignal>> => {
  const { labels = {}, q, limit, sort } = query;
  const { column, direction } = ORDERS[sort];
  if (![q ?? "", ...Object.values(labels)].every(isStorable)) return { items: [], next: null };
  const matching = await filtered(context, accountId, query);
  const ids = matching
    .orderBy(`signal.${column}`, direction)
    .orderBy("signal.id", direction)
    .limit(limit + 1);
  const rows = await selectStored(context.db)
    .where("signal.id", "in", ids)
    .orderBy(`signal.${column}`, direction)
    .orderBy("signal.id", direction)
    .execute();
  return pageOf(rows, limit, storedOf, (row: SignalRow) => ({ sort, key: row[column], id: row.id }));
};

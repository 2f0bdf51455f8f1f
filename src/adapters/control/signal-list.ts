import { type SelectQueryBuilder, sql } from "kysely";
import type { AccountId, SignalId, SourceId } from "../../../schemas/common.ts";
import type { Paged, SignalList, StoredSignal } from "../../ports/control-store.ts";
import { pageOf } from "./cursor.ts";
import type { ControlContext } from "./engine.ts";
import { signalIsOf } from "./owned.ts";
import { hasLabels, RARE, rareMatches, withEach } from "./signal-labels.ts";
import { ORDERS, type Place, placeOf } from "./signal-order.ts";
import { selectStored, storedOf } from "./signal-row.ts";
import { contains, rareParts } from "./signal-search.ts";
import type { ControlTables, SignalRow } from "./tables.ts";
import { isStorable } from "./text.ts";

type Ids = SelectQueryBuilder<ControlTables, "signal", { id: SignalId }>;

/** A list from a place on. */
interface Asked extends SignalList {
  readonly place: Place | null;
}

/** Labels alone, or a source, in the order of making, which is that of ids: each one's index has them in it. */
const isByMaking = ({ ids, status, q, labels = {}, sourceId, sort }: SignalList): boolean =>
  ids === undefined &&
  status === undefined &&
  q === undefined &&
  sort.endsWith("createdAt") &&
  Object.keys(labels).length > 0 !== (sourceId !== undefined);

/** A page's ids out of all that are few. */
const madeBeyond = (few: readonly SignalId[], { sort, place, limit }: Asked): SignalId[] => {
  const sign = ORDERS[sort].direction === "asc" ? 1 : -1;
  const order = (one: SignalId, other: SignalId) => (one < other ? -sign : one > other ? sign : 0);
  return few
    .filter((id) => place === null || order(id, place.id) > 0)
    .sort(order)
    .slice(0, limit + 1);
};

/** The same within the index of a label that many have. */
const byMaking = (
  { db }: ControlContext,
  accountId: AccountId,
  { labels = {}, sort, place, limit }: Asked,
) => {
  const { direction, beyond } = ORDERS[sort];
  return withEach(db, accountId, labels)
    .$if(place !== null, (ids) => ids.where("signal_label.signal_id", beyond, place?.id ?? null))
    .orderBy("signal_label.signal_id", direction)
    .limit(limit + 1);
};

/** A source may be named by whoever likes: the account is checked of each, see `signalIsOf`. */
const ofSource = ({ db }: ControlContext, accountId: AccountId, sourceId: SourceId) =>
  db
    .selectFrom("signal")
    .select("signal.id")
    .where("signal.source_id", "=", sourceId)
    .where(signalIsOf(accountId));

/** The ids of all that a source has made, where they are few; null where they are many. */
const rareOfSource = async (context: ControlContext, accountId: AccountId, sourceId: SourceId) => {
  const rows = await ofSource(context, accountId, sourceId)
    .limit(RARE + 1)
    .execute();
  return rows.length > RARE ? null : rows.map(({ id }) => id);
};

const ofSourceByMaking = (
  context: ControlContext,
  accountId: AccountId,
  sourceId: SourceId,
  { sort, place, limit }: Asked,
): Ids => {
  const { direction, beyond } = ORDERS[sort];
  return ofSource(context, accountId, sourceId)
    .$if(place !== null, (ids) => ids.where("signal.id", beyond, place?.id ?? null))
    .orderBy("signal.id", direction)
    .limit(limit + 1);
};

const beyondPlace = (ids: Ids, { sort, place }: Asked): Ids => {
  if (place === null) return ids;
  const { column, beyond } = ORDERS[sort];
  const keyAndId = sql`(${sql.ref(`signal.${column}`)}, ${sql.ref("signal.id")})`;
  return ids.where(sql<boolean>`${keyAndId} ${sql.raw(beyond)} (${place.key}, ${place.id})`);
};

/** Within the index of the list's order; or of `few`, which are the account's, unless it is null. */
const inOrder = (
  { db }: ControlContext,
  accountId: AccountId,
  few: readonly SignalId[] | null,
  asked: Asked,
): Ids => {
  const { status, labels = {}, sourceId, q, sort, limit } = asked;
  const { column, direction } = ORDERS[sort];
  let ids: Ids = db.selectFrom("signal").select("signal.id");
  // Without the account in sight every planner starts from the few ids.
  ids = few === null ? ids.where("signal.account_id", "=", accountId) : ids.where("signal.id", "in", few);
  ids = ids.where((eb) => hasLabels(eb, labels));
  // As a mere column it would be taken for the way to find them, and all of them be sorted.
  if (sourceId !== undefined)
    ids = ids.where(sql<boolean>`${sql.ref("signal.source_id")} || '' = ${sourceId}`);
  if (status !== undefined) ids = ids.where("signal.status", "=", status);
  if (q !== undefined) ids = ids.where(contains("signal.search", q));
  return beyondPlace(ids, asked)
    .orderBy(`signal.${column}`, direction)
    .orderBy("signal.id", direction)
    .limit(limit + 1);
};

const ownOf = async (
  { db }: ControlContext,
  accountId: AccountId,
  ids: readonly SignalId[],
): Promise<SignalId[]> => {
  const own = db.selectFrom("signal").select("id").where("id", "in", ids).where("account_id", "=", accountId);
  return (await own.execute()).map(({ id }) => id);
};

/** The ids of a page, and one more: as they are, or as a query. */
const idsOf = async (context: ControlContext, accountId: AccountId, asked: Asked) => {
  const { labels = {}, sourceId, q, ids } = asked;
  if (ids !== undefined) {
    const own = await ownOf(context, accountId, ids);
    return own.length === 0 ? [] : inOrder(context, accountId, own, asked);
  }
  if (isByMaking(asked) && sourceId !== undefined)
    return ofSourceByMaking(context, accountId, sourceId, asked);
  const labelled = await rareMatches(context.db, accountId, labels);
  if (isByMaking(asked))
    return labelled === null ? byMaking(context, accountId, asked) : madeBeyond(labelled, asked);
  const made =
    labelled === null && sourceId !== undefined ? await rareOfSource(context, accountId, sourceId) : null;
  const known = labelled ?? made;
  const found = known === null && q !== undefined ? await rareParts(context, accountId, q) : null;
  const few = known ?? found;
  if (few?.length === 0) return [];
  const unchecked = {
    labels: labelled === null ? labels : undefined,
    sourceId: made === null ? sourceId : undefined,
    q: found === null ? q : undefined,
  };
  return inOrder(context, accountId, few, { ...asked, ...unchecked });
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
  const ids = await idsOf(context, accountId, { ...query, place: placeOf(query) });
  if (Array.isArray(ids) && ids.length === 0) return { items: [], next: null };
  const rows = await selectStored(context.db)
    .where("signal.id", "in", ids)
    .$if(!isByMaking(query), (page) => page.orderBy(`signal.${column}`, direction))
    .orderBy("signal.id", direction)
    .execute();
  return pageOf(rows, limit, storedOf, (row: SignalRow) => ({ sort, key: row[column], id: row.id }));
};

import { sql } from "kysely";
import type { AccountId, SignalId } from "../../../schemas/common.ts";
import type { ControlContext } from "./engine.ts";
import { escapeLike, folded } from "./text.ts";

/** Names that contain `q`, without regard to case. */
export const contains = (column: "signal.search" | "signal_search.search", q: string) =>
  sql<boolean>`${sql.ref(column)} like ${`%${escapeLike(folded(q))}%`} escape '\\'`;

/** What more signals contain is found soon along the list's order. */
const RARE = 2000;
/** The index knows of three characters in a row, of which one is a letter or a digit. */
const INDEXED_LENGTH = 3;
const INDEXED = /[\p{L}\p{N}]/u;

/** Of a sample, so many contain what is common: counting with the index would go through all that share its trigrams. */
const SAMPLE = 2000;
const COMMON_OF_SAMPLE = 40;

type Context = Pick<ControlContext, "db" | "isSearchIndexed">;

const isCommon = async ({ db }: Context, q: string): Promise<boolean> => {
  const sample = db.selectFrom("signal_search").select("signal_search.search").limit(SAMPLE);
  const { count } = await db
    .selectFrom(sample.as("signal_search"))
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where(contains("signal_search.search", q))
    .executeTakeFirstOrThrow();
  return count >= COMMON_OF_SAMPLE;
};

/** The ids of all signals that contain `q`, where they are few; null where many do, or the engine has no index to tell. */
export const rareParts = async (
  context: Context,
  accountId: AccountId,
  q: string,
): Promise<SignalId[] | null> => {
  const { db, isSearchIndexed } = context;
  if (!isSearchIndexed || q.length < INDEXED_LENGTH || !INDEXED.test(q) || (await isCommon(context, q)))
    return null;
  const rows = await db
    .selectFrom("signal_search")
    .select("signal_search.signal_id")
    .where("signal_search.account_id", "=", accountId)
    .where(contains("signal_search.search", q))
    .limit(RARE + 1)
    .execute();
  return rows.length > RARE ? null : rows.map(({ signal_id }) => signal_id);
};

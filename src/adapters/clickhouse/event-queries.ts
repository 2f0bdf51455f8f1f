import { z } from "zod";
import { AccountId, EventId, SignalId } from "../../../schemas/common.ts";
import type { EventRow, EventsQuery } from "../../ports/time-series.ts";
import { allOf } from "./conditions.ts";
import type { Connection } from "./connection.ts";
import { EventRowColumns } from "./event-rows.ts";

/** Copies of an event are looked for in their own month only, and an index may not hide one from another. */
export const FINAL_SETTINGS = {
  do_not_merge_across_partitions_select_final: 1,
  use_skip_indexes_if_final_exact_mode: 1,
};

const filterOf = (query: EventsQuery): ReturnType<typeof allOf> =>
  allOf([
    ["account_id = {accountId:String}", "accountId", query.accountId],
    ["position > {after:UInt64}", "after", query.after],
    ["position < {upTo:UInt64}", "upTo", query.upTo],
    ["signal_id IN {signalIds:Array(String)}", "signalIds", query.signalIds],
    ["kind IN {kinds:Array(String)}", "kinds", query.kinds],
    ["created_at >= fromUnixTimestamp64Milli({fromMs:Int64})", "fromMs", query.fromMs],
    ["created_at < fromUnixTimestamp64Milli({toMs:Int64})", "toMs", query.toMs],
  ]);

export const selectEvents = (connection: Connection, query: EventsQuery): Promise<EventRow[]> => {
  const { where, parameters } = filterOf(query);
  return connection.select(
    EventRowColumns,
    `SELECT position, account_id, signal_id, event FROM events FINAL WHERE ${where}
     ORDER BY position LIMIT {limit:UInt32}`,
    { ...parameters, limit: query.limit },
    FINAL_SETTINGS,
  );
};

export const selectPosition = async (
  connection: Connection,
  accountId: AccountId,
  id: EventId,
): Promise<number | null> => {
  const rows = await connection.select(
    z.tuple([z.number()]),
    "SELECT min(position) FROM events WHERE account_id = {accountId:String} AND id = {id:String} GROUP BY id",
    { accountId, id },
  );
  return rows[0]?.[0] ?? null;
};

/** By position, which has an index: ids would be read of all events. */
export const selectNewestEvents = async (
  connection: Connection,
  upTo: number,
): Promise<Map<AccountId, EventId>> => {
  const rows = await connection.select(
    z.tuple([AccountId, EventId]),
    `SELECT account_id, id FROM events WHERE position IN (
       SELECT max(position) FROM events WHERE position < {upTo:UInt64} GROUP BY account_id)`,
    { upTo },
  );
  return new Map(rows);
};

export const selectLastEvents = (
  connection: Connection,
  signalIds: readonly SignalId[],
): Promise<EventRow[]> =>
  connection.select(
    EventRowColumns,
    `SELECT position, account_id, signal_id, event FROM events
     WHERE signal_id IN {signalIds:Array(String)}
     ORDER BY signal_id, sequence DESC, position
     LIMIT 1 BY signal_id, JSONExtractString(event, 'data', 'alert', 'ruleId')`,
    { signalIds },
  );

export const selectEventsEnd = async (connection: Connection): Promise<number> => {
  const [row] = await connection.select(
    z.tuple([z.number(), z.number()]),
    "SELECT count(), max(position) FROM events",
  );
  const [count, last] = row ?? [0, 0];
  return count === 0 ? 0 : last + 1;
};

/** Copies of an event have its sequence, and the smallest position is below `upTo` if any is: no FINAL needed. */
const selectSequencesAhead = (connection: Connection, upTo: number): Promise<[SignalId, number][]> =>
  connection.select(
    z.tuple([SignalId, z.number()]),
    `SELECT signal_id, max(sequence) FROM events
     WHERE position < {upTo:UInt64} AND signal_id IN (
       SELECT signal_id FROM event_sequences GROUP BY signal_id HAVING max(position) >= {upTo:UInt64})
     GROUP BY signal_id`,
    { upTo },
  );

/**
 * A signal without an event at `upTo` or above has come as far as all its events: by the time an insert resolves they
 * are in `event_sequences`. The few that are ahead are looked up among the events, after, so that none falls between.
 */
export const selectLastSequences = async (
  connection: Connection,
  upTo: number,
): Promise<Map<SignalId, number>> => {
  const rows = await connection.select(
    z.tuple([SignalId, z.number(), z.number()]),
    "SELECT signal_id, max(sequence), max(position) FROM event_sequences GROUP BY signal_id",
  );
  const last = new Map<SignalId, number>();
  let isAnyAhead = false;
  for (const [id, sequence, position] of rows) {
    if (position < upTo) last.set(id, sequence);
    else isAnyAhead = true;
  }
  if (isAnyAhead)
    for (const [id, sequence] of await selectSequencesAhead(connection, upTo)) last.set(id, sequence);
  return last;
};

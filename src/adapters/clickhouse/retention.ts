import { z } from "zod";
import type { Connection } from "./connection.ts";

/** Days that a table's rows are kept; null is for ever. */
export interface Retention {
  readonly rawDays: number | null;
  readonly minuteDays: number | null;
  readonly hourDays: number | null;
}
export const KEEP_FOR_EVER: Retention = { rawDays: null, minuteDays: null, hourDays: null };

const TTL = /\bTTL\b.*?toIntervalDay\((\d+)\)/s;

const setDays = async (connection: Connection, table: string, days: number | null): Promise<void> => {
  const rows = await connection.select(
    z.tuple([z.string()]),
    "SELECT create_table_query FROM system.tables WHERE database = currentDatabase() AND name = {table:String}",
    { table },
  );
  const current = TTL.exec(rows[0]?.[0] ?? "")?.[1];
  if ((current === undefined ? null : Number(current)) === days) return;
  await connection.command(
    days === null
      ? `ALTER TABLE ${table} REMOVE TTL`
      : `ALTER TABLE ${table} MODIFY TTL toDateTime(at) + toIntervalDay(${Math.trunc(days)}) SETTINGS mutations_sync = 0`,
  );
};

/** Brings each table's TTL to what is wished; a table that has it already is not touched (an ALTER rewrites parts). */
export const applyRetention = async (connection: Connection, wished: Retention): Promise<void> => {
  await setDays(connection, "readings", wished.rawDays);
  await setDays(connection, "readings_1m", wished.minuteDays);
  await setDays(connection, "readings_1h", wished.hourDays);
};

import type { Kysely } from "kysely";

/** The signals that a source has made, in the order of making. */
export const up = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.createIndex("signal_by_source").on("signal").columns(["source_id", "id"]).execute();
};

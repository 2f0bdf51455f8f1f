import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** Which process runs a source: each that begins counts one further, and what earlier ones say is kept no more. */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("source_run")
    .addColumn("source_id", text, (column) => column.primaryKey().references("source.id").onDelete("cascade"))
    .addColumn("generation", "bigint", (column) => column.notNull())
    .execute();
};

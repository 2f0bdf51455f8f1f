import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** How far a source is in a feed that can be asked to go on from somewhere. */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("source_position")
    .addColumn("source_id", text, (column) => column.primaryKey().references("source.id").onDelete("cascade"))
    .addColumn("position", text, (column) => column.notNull())
    .execute();
};

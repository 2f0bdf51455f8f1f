import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/**
 * The transactional outbox. Positions come from the counter row `written`, which its writer keeps locked until it has
 * committed: so they stand in commit order on every engine, without gaps.
 */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("outbox")
    .addColumn("position", "bigint", (column) => column.primaryKey())
    .addColumn("entry", text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("outbox_counter")
    .addColumn("name", text, (column) => column.primaryKey())
    .addColumn("position", "bigint", (column) => column.notNull())
    .execute();
  await sql`insert into outbox_counter (name, position) values ('written', 0), ('relayed', 0)`.execute(db);
};

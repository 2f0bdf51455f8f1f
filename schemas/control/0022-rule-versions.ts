import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** Rules as they were before they were changed, each since its `since`. */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("rule_version")
    .addColumn("rule_id", text, (column) => column.notNull().references("rule.id").onDelete("cascade"))
    .addColumn("revision", "bigint", (column) => column.notNull())
    .addColumn("since", "bigint", (column) => column.notNull())
    .addColumn("rule", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("rule_version_key", ["rule_id", "revision"])
    .execute();
};

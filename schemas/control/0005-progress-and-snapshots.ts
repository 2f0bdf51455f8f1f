import type { Kysely } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/** How far the record worker got in each partition, and the evaluator's snapshots. */
export const up = async (db: Kysely<unknown>, { text, bytes }: ColumnTypes): Promise<void> => {
  await db.schema
    .createTable("record_progress")
    .addColumn("log_id", text, (column) => column.notNull())
    .addColumn("topic", text, (column) => column.notNull())
    .addColumn("partition", "integer", (column) => column.notNull())
    .addColumn("done", "bigint", (column) => column.notNull())
    .addColumn("pending_end", "bigint")
    .addPrimaryKeyConstraint("record_progress_key", ["log_id", "topic", "partition"])
    .execute();
  await db.schema
    .createTable("snapshot_head")
    .addColumn("partition", "integer", (column) => column.primaryKey())
    .addColumn("generation", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("snapshot_seal")
    .addColumn("partition", "integer", (column) => column.notNull())
    .addColumn("generation", "bigint", (column) => column.notNull())
    .addColumn("log_id", text, (column) => column.notNull())
    .addColumn("offset", "bigint", (column) => column.notNull())
    .addColumn("buckets", "integer", (column) => column.notNull())
    .addColumn("checksum", text, (column) => column.notNull())
    .addPrimaryKeyConstraint("snapshot_seal_key", ["partition", "generation"])
    .execute();
  await db.schema
    .createTable("snapshot_bucket")
    .addColumn("partition", "integer", (column) => column.notNull())
    .addColumn("generation", "bigint", (column) => column.notNull())
    .addColumn("bucket", "integer", (column) => column.notNull())
    .addColumn("bytes", bytes, (column) => column.notNull())
    .addPrimaryKeyConstraint("snapshot_bucket_key", ["partition", "generation", "bucket"])
    .execute();
};

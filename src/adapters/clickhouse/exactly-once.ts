/**
 * Settings under which an insert leaves the same rows in the table and in every rollup, however often it is sent with
 * one token: the body stays one block, cut and ordered by nothing but itself, and the views' blocks are told apart too.
 *
 * It is the tables that remember tokens. Replicated ones (`ReplicatedMergeTree`) commit a token and its part in one
 * transaction. Plain ones write the token to a file just before the part is in its place (MergeTreeSink::commitPart,
 * 26.7): an engine killed in between keeps the token without the part, and the retry is dropped, its rows lost. The
 * embedded engine mends that at its start (chdb/deduplication-repair.ts); the files of a server are out of reach, so
 * against a kill of the server itself only replicated tables help. Plain ones never sync that file either: after a
 * power cut a range may be stored twice.
 */
const ROWS_MAX = 50_000_000;
const BYTES_MAX = 4 * 1024 ** 3;

const SETTINGS = {
  // Gathering several inserts into one block would mix their tokens.
  async_insert: 0,
  insert_deduplicate: 1,
  deduplicate_blocks_in_dependent_materialized_views: 1,
  max_insert_block_size: ROWS_MAX,
  min_insert_block_size_rows: ROWS_MAX,
  min_insert_block_size_bytes: BYTES_MAX,
  input_format_parallel_parsing: 0,
  max_threads: 1,
  max_insert_threads: 1,
  // A block may hold readings of many months.
  max_partitions_per_insert_block: 0,
  // An error comes with its status, not after a 200.
  wait_end_of_query: 1,
};

export const exactlyOnce = (token: string): Record<string, string | number> => ({
  ...SETTINGS,
  insert_deduplication_token: token,
});

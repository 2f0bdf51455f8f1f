import type { Entropy } from "../../ports/clock.ts";

/**
 * Settings under which an insert leaves the same rows in the table and in every rollup, however often it is sent with
 * one token: the body stays one block, cut and ordered by nothing but itself, and the views' blocks are told apart too.
 *
 * It is the tables that remember tokens. Replicated ones (`ReplicatedMergeTree`) commit a token and its part in one
 * transaction. Plain ones write the token to a file just before the part is in its place (MergeTreeSink::commitPart,
 * 26.7): an engine killed in between keeps the token without the part, and the retry is dropped, its rows lost. The
 * embedded engine mends that at its start (chdb/deduplication-repair.ts). The files of a server are out of reach, and
 * nothing that SQL can ask tells such a retry from one whose part is there: no table shows these tokens, `part_log` is
 * itself lost in a kill, and rows do not say which insert they came by (a source may send a reading twice). So against
 * a kill of the server itself only replicated tables help, and one server with a Keeper of its own can be a cluster.
 * Plain ones never sync that file either: after a power cut a range may be stored twice.
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

/**
 * For rows that are one by their id: copies are told apart by nothing and collapse, so that no token is needed. One of
 * its own for every try, as without any the engine would make one of the rows, and the danger above would be back.
 */
export const onceById = (token: string, entropy: Entropy): Record<string, string | number> =>
  exactlyOnce(`${token}#${Buffer.from(entropy.bytes(8)).toString("hex")}`);

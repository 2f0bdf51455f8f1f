import type { PartitionOfLog } from "./evaluation/partition-state.ts";
import { type ProfileRow, rowsOf, SnapshotUnreadableError } from "./evaluation/snapshot-rows.ts";
import type { LiveUpdate } from "./live.ts";

/**
 * The newest strength, time and status of every signal in a bucket of a sealed snapshot, which serve starts with and
 * lays topic `live` over. Throws SnapshotUnreadableError for what is no bucket of this version.
 */
export const newestOfBucket = (bytes: Uint8Array): LiveUpdate[] => {
  const profiles: ProfileRow[] = [];
  const updates: LiveUpdate[] = [];
  for (const row of rowsOf(bytes)) {
    if (row[0] === "profile") profiles.push(row);
    if (row[0] !== "signal") continue;
    const [, signalId, , , , profile, status, , , , atMs, strength] = row;
    const accountId = profiles[profile]?.[1];
    if (accountId === undefined) throw new SnapshotUnreadableError("a signal without its profile");
    const seen = atMs >= 0;
    updates.push({ signalId, accountId, atMs: seen ? atMs : null, strength: seen ? strength : null, status });
  }
  return updates;
};

/** Whose state the snapshot holds whose first bucket this is. Throws SnapshotUnreadableError. */
export const ownerOfSnapshot = (firstBucket: Uint8Array): PartitionOfLog => {
  for (const row of rowsOf(firstBucket)) {
    if (row[0] !== "partition") continue;
    const { logId, partition, partitions } = row[1];
    return { logId, partition, partitions };
  }
  throw new SnapshotUnreadableError("no row says whose state it is");
};

export { SnapshotUnreadableError };

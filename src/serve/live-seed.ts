import { newestOfBucket, SnapshotUnreadableError } from "../domain/snapshot.ts";
import type { Snapshots } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { LiveValues } from "./live-values.ts";

const seedBucket = (bytes: Uint8Array, offset: number, live: LiveValues, log: Logger): void => {
  try {
    live.seed(newestOfBucket(bytes), offset);
  } catch (err) {
    if (!(err instanceof SnapshotUnreadableError)) throw err;
    log.warn({ err }, "snapshot_unreadable");
  }
};

/** Newest values as the sealed snapshots of this log hold them; what topic `live` told since follows. */
export const seedLiveValues = async (
  snapshots: Snapshots,
  logId: string,
  live: LiveValues,
  log: Logger,
): Promise<void> => {
  for (const partition of await snapshots.partitions()) {
    const seal = await snapshots.newest(partition);
    if (seal?.logId !== logId) continue;
    for (let index = 0; index < seal.buckets; index++) {
      const bytes = await snapshots.bucket(partition, seal.generation, index);
      // A newer snapshot may have been sealed meanwhile, and this bucket be gone: topic live has what it said.
      if (bytes !== null) seedBucket(bytes, seal.offset, live, log);
    }
  }
};

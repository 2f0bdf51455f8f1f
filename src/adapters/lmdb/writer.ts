import { type Appended, LogFullError, type NewRecord } from "../../ports/event-log.ts";
import type { Health } from "../../ports/worker.ts";
import { Capacity } from "../event-log/capacity.ts";
import { Commits } from "./commits.ts";
import { Condition } from "./condition.ts";
import { DiskSpace } from "./disk-space.ts";
import { GroupCommit } from "./group-commit.ts";
import type { StoredTopic } from "./keys.ts";
import { type LogMetrics, logMetrics } from "./metrics.ts";
import type { Parts } from "./parts.ts";
import type { StoredPartition } from "./stored-partition.ts";
import { AppendWrite, TrimWrite } from "./writes.ts";

/** Records taken out by one transaction: many small ones keep LMDB's file small (PITFALLS 18). */
const TRIM_RECORDS = 128;
/** The estimate of what is stored is put right at least this often. */
const MEASURE_EVERY_BYTES = 64 * 2 ** 20;
const CLOSE_MAX_MS = 5_000;

/** Everything that is written to the disk: appends, commits of groups, trims. */
export class LogWriter {
  readonly commits: Commits;
  readonly capacity: Capacity;
  readonly #parts: Parts;
  readonly #metrics: LogMetrics;
  readonly #writes: GroupCommit;
  readonly #condition: Condition;
  #unmeasuredBytes = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#metrics = logMetrics(parts.telemetry.metrics);
    this.#condition = new Condition(parts.telemetry.log);
    this.capacity = new Capacity(parts.maxBytes, parts.telemetry.log);
    this.#writes = new GroupCommit({
      transaction: parts.store.write,
      space: new DiskSpace(parts.freeBytes, parts.store.unusedBytes),
      clock: parts.clock,
      committed: () => {
        this.#condition.recovered();
        this.#report();
      },
      failed: (error) => {
        parts.topics.recover();
        this.commits.recover();
        this.#metrics.unavailable.add(1);
        this.#condition.failed(error);
        this.#measure();
      },
    });
    this.commits = new Commits(parts.facts, this.#writes);
    this.#measure();
  }

  async append(topic: StoredTopic, records: readonly NewRecord[], bounded: boolean): Promise<Appended[]> {
    const { topics, clock } = this.#parts;
    const write = new AppendWrite(topics, topic, records, clock);
    if (bounded && !this.capacity.accepts(this.#writes.pendingBytes)) {
      this.#metrics.full.add(1);
      throw new LogFullError("The event log is at its limit (LOG_MAX_BYTES): wait for room.");
    }
    const startedAt = clock.monotonic();
    await this.#writes.submit({
      bytes: write.bytes,
      makesRoom: write.makesRoom,
      put: () => write.put(),
      committed: () => {
        write.committed();
        this.#added(write.bytes);
      },
    });
    this.#metrics.appends.add(1, { topic });
    this.#metrics.appendSeconds.observe((clock.monotonic() - startedAt) / 1_000);
    return write.appended;
  }

  async trim(partition: StoredPartition, before: number): Promise<void> {
    for (;;) {
      const offsets = partition
        .offsets(0, TRIM_RECORDS)
        .filter((offset) => offset < before && offset < partition.end);
      if (offsets.length === 0) return;
      await this.#writes.submit(new TrimWrite(partition, offsets, this.#parts.facts));
      this.#measure();
    }
  }

  health(): Health {
    return this.#condition.health(this.#writes.busyMs, this.capacity);
  }

  /** Whether everything is on the disk; false if the disk did not answer in time. */
  async close(): Promise<boolean> {
    this.#condition.closed();
    const timer = new AbortController();
    const tooLong = this.#parts.clock.sleep(CLOSE_MAX_MS, timer.signal).then(
      () => false,
      () => false,
    );
    const closed = this.#writes.close().then(() => true);
    try {
      return await Promise.race([closed, tooLong]);
    } finally {
      timer.abort();
    }
  }

  #added(bytes: number): void {
    this.capacity.added(bytes);
    this.#unmeasuredBytes += bytes;
    if (this.#unmeasuredBytes >= MEASURE_EVERY_BYTES) this.#measure();
  }

  #measure(): void {
    this.#unmeasuredBytes = 0;
    this.capacity.measured(this.#parts.store.recordBytes());
    this.#report();
  }

  #report(): void {
    this.#metrics.bytes.set(this.capacity.storedBytes);
    this.#metrics.pendingBytes.set(this.#writes.pendingBytes);
  }
}

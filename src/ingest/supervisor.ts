import { z } from "zod";
import { SourceId } from "../../schemas/common.ts";
import type { LogRecord } from "../domain/log-record.ts";
import type { Assignment, PartitionConsumer } from "../ports/event-log.ts";
import type { IngestContext } from "./context.ts";
import { SourceLease } from "./source-lease.ts";
import { type Release, SourceRunner } from "./source-runner.ts";

const Revision = z.object({ revision: z.number().int().min(1) });
const decoder = new TextDecoder();

/** What a record of topic `sources` says; null when it says nothing that can be understood. */
const readSource = (record: LogRecord): { id: SourceId; revision: number | null } | null => {
  const id = SourceId.safeParse(record.key);
  if (!id.success) return null;
  if (record.value.length === 0) return { id: id.data, revision: null };
  try {
    return { id: id.data, revision: Revision.parse(JSON.parse(decoder.decode(record.value))).revision };
  } catch {
    return null;
  }
};

/** Runs the sources of one partition of topic `sources`, read from its start at every assignment. */
export class SourceSupervisor implements PartitionConsumer {
  readonly startAt = 0;
  readonly #context: IngestContext;
  readonly #assignment: Assignment;
  readonly #lease: SourceLease;
  readonly #stopping: () => boolean;
  readonly #runners = new Map<SourceId, SourceRunner>();
  readonly #releases = new Map<SourceId, Promise<void>>();

  /** `stopping` says whether the whole worker stops, rather than this partition going to another. */
  constructor(context: IngestContext, assignment: Assignment, stopping: () => boolean) {
    this.#context = context;
    this.#assignment = assignment;
    this.#lease = new SourceLease(context, assignment);
    this.#stopping = stopping;
  }

  async records(batch: readonly LogRecord[]): Promise<void> {
    // Only the newest word on each source counts: a source is not started to be stopped by the next record.
    const newest = new Map<SourceId, number | null>();
    for (const record of batch) {
      const source = readSource(record);
      if (source === null) this.#context.logger.error({ offset: record.offset }, "ingest_source_unreadable");
      else newest.set(source.id, source.revision);
    }
    for (const [id, revision] of newest) await this.#want(id, revision);
    const last = batch.at(-1);
    if (last !== undefined) await this.#commit(last.offset + 1);
  }

  async revoked(): Promise<void> {
    const release = this.#stopping() ? "shutdown" : "moved";
    await Promise.all([...this.#runners.keys()].map((id) => this.#release(id, release)));
    await Promise.all(this.#releases.values());
    this.#lease.stop();
  }

  async #want(id: SourceId, revision: number | null): Promise<void> {
    if (revision === null) {
      if (this.#runners.has(id)) this.#release(id, "deleted");
      else this.#context.announcer.ended(id);
      return;
    }
    await this.#releases.get(id);
    const runner = this.#runners.get(id);
    if (runner === undefined)
      this.#runners.set(id, new SourceRunner(this.#context, this.#lease, id, revision));
    else runner.want(revision);
  }

  #release(id: SourceId, release: Release): void {
    const runner = this.#runners.get(id);
    if (runner === undefined) return;
    this.#runners.delete(id);
    const task = runner.release(release).finally(() => this.#releases.delete(id));
    this.#releases.set(id, task);
  }

  /** For those who watch lag; a group that always reads from 0 does not need it. */
  async #commit(next: number): Promise<void> {
    try {
      await this.#assignment.commit(next);
    } catch (error) {
      this.#context.logger.warn({ error: String(error) }, "ingest_commit_failed");
    }
  }
}

import type { LogRecord } from "../domain/log-record.ts";
import type { Progress } from "../ports/control-store.ts";
import { type Assignment, LET_GO_MAX_MS, type PartitionConsumer } from "../ports/event-log.ts";
import { RangeBuffer } from "./buffer.ts";
import type { Content } from "./content.ts";
import { type RecordContext, untilDone } from "./context.ts";
import { Wake } from "./wake.ts";

/** For how long a claim is taken for held without a look. */
const CLAIM_FRESH_MS = 2_000;
/** How long a partition that is taken away may still take for what is buffered and under way. */
const LET_GO_MS = LET_GO_MAX_MS - 500;

/** What a partition tells the group, and asks it. */
export interface RecorderPlace {
  /** When to insert where the oldest rows came then (both monotonic, ms). */
  readonly turn: (oldestAt: number) => number;
  /** The partition is let go of. */
  readonly left: () => void;
}

/**
 * Inserts one partition exactly once, by range intent (DESIGN.md, "Why it is shaped like this", 4). The row in control
 * data says `done`, and `pendingEnd` while a range [done, pendingEnd) is being inserted. The token names the range, so
 * whoever finds `pendingEnd` set, after a crash or after losing the row to another worker, inserts that very range
 * again and the engine drops what it has.
 */
export class PartitionRecorder<Row> implements PartitionConsumer {
  readonly startAt: number;
  readonly #context: RecordContext;
  readonly #content: Content<Row>;
  readonly #assignment: Assignment;
  readonly #who: string;
  readonly #buffer: RangeBuffer<Row>;
  readonly #wake: Wake;
  readonly #cut = new AbortController();
  readonly #place: RecorderPlace;
  readonly #running: Promise<void>;
  #progress: Progress;
  #closing = false;
  /** When to insert what has been gathered since `oldestAt`. */
  #turn: { readonly oldestAt: number; readonly at: number } | null = null;

  constructor(
    context: RecordContext,
    content: Content<Row>,
    assignment: Assignment,
    progress: Progress,
    place: RecorderPlace,
  ) {
    this.#context = context;
    this.#content = content;
    this.#assignment = assignment;
    this.#who = `${assignment.topic}/${assignment.partition}`;
    this.#progress = progress;
    this.startAt = progress.done;
    this.#buffer = new RangeBuffer(progress.done);
    this.#wake = new Wake(context.clock);
    this.#place = place;
    this.#running = this.#run();
  }

  /** Records given to this partition and not yet in the time series. */
  get unrecorded(): number {
    return this.#buffer.next - this.#progress.done;
  }

  async records(batch: readonly LogRecord[]): Promise<void> {
    const { budget, clock } = this.#context;
    const now = clock.monotonic();
    let bytes = 0;
    for (const record of batch) {
      if (record.offset < this.#buffer.next) continue;
      bytes += this.#buffer.push(record.offset, this.#content.extract(record), now);
    }
    budget.take(bytes);
    this.#wake.ring();
    // A range to be repeated needs all its records before anything can be freed: it does not wait for room.
    if (this.#isCollecting()) return;
    await budget.room(this.#assignment.signal);
  }

  async revoked(): Promise<void> {
    this.#place.left();
    this.#closing = true;
    this.#wake.ring();
    const cancel = this.#context.clock.after(LET_GO_MS, () => this.#cut.abort(new Error("let go")));
    await this.#running;
    cancel();
    this.#context.budget.take(-this.#buffer.clear());
    this.#context.trouble(this.#who, null);
  }

  #isCollecting(): boolean {
    const { pendingEnd } = this.#progress;
    return pendingEnd !== null && this.#buffer.next < pendingEnd;
  }

  /** Never rejects: what fails for good fails the assignment. */
  async #run(): Promise<void> {
    try {
      while (await this.#due()) await this.#step();
    } catch (error) {
      if (!this.#cut.signal.aborted) this.#assignment.fail(error);
    }
  }

  /** Resolves with true when a range can be inserted, with false when there is nothing left to do here. */
  async #due(): Promise<boolean> {
    for (;;) {
      const waitMs = this.#waitMs();
      if (waitMs === 0) return true;
      if (this.#closing) return false;
      await this.#wake.sleep(waitMs);
    }
  }

  /** How long until a range should be inserted; null: not before more records come. */
  #waitMs(): number | null {
    if (this.#isCollecting()) return null;
    if (this.#progress.pendingEnd !== null) return 0;
    const { isEmpty, rowsSince: oldestAt, bytes } = this.#buffer;
    if (isEmpty) return null;
    // Ticks and the like are passed over at once: waiting, they would look as if there were something to record.
    if (oldestAt === null) return 0;
    if (this.#closing || bytes >= this.#content.batchBytes || this.#context.budget.isFull) return 0;
    if (this.#turn?.oldestAt !== oldestAt) this.#turn = { oldestAt, at: this.#place.turn(oldestAt) };
    return Math.max(0, Math.ceil(this.#turn.at - this.#context.clock.monotonic()));
  }

  async #step(): Promise<void> {
    const { clock, metrics } = this.#context;
    const startedAt = clock.monotonic();
    const { done, pendingEnd } = this.#progress;
    const end = pendingEnd ?? this.#buffer.next;
    const { rows, count } = this.#buffer.below(end);
    if (count > 0) {
      if (pendingEnd === null && !(await this.#advance({ done, pendingEnd: end }))) return;
      if (!(await this.#insert({ done, pendingEnd: end }, rows))) return;
    }
    if (!(await this.#advance({ done: end, pendingEnd: null }))) return;
    metrics.rows.add(count, { topic: this.#content.topic });
    metrics.flushSeconds.observe((clock.monotonic() - startedAt) / 1000, { topic: this.#content.topic });
    await this.#commit(end);
  }

  /**
   * Inserts what was claimed, for as long as it is; false when another has moved the row on meanwhile. The engine knows
   * a token for a while only, so one that was claimed long ago is not sent unseen: by a process that stood still, or
   * after an outage.
   */
  async #insert(claimed: { done: number; pendingEnd: number }, rows: readonly Row[]): Promise<boolean> {
    const { clock, control, log, logger, metrics } = this.#context;
    const { topic, partition } = this.#assignment;
    const token = this.#token(claimed.done, claimed.pendingEnd);
    let seenAt = clock.monotonic();
    return await this.#untilDone(async () => {
      if (clock.monotonic() - seenAt > CLAIM_FRESH_MS) {
        const now = await control.recordProgress.read(log.logId, topic, partition);
        seenAt = clock.monotonic();
        if (now.done !== claimed.done || now.pendingEnd !== claimed.pendingEnd) {
          metrics.lostClaims.add(1);
          logger.warn({ partition: this.#who, wanted: claimed }, "record_lost_claim");
          this.#follow(now);
          return false;
        }
      }
      await this.#content.insert(token, rows, this.#cut.signal);
      return true;
    });
  }

  #token(first: number, end: number): string {
    const { topic, partition } = this.#assignment;
    return `${this.#context.log.logId}/${topic}/${partition}/${first}-${end - 1}`;
  }

  /** False when the row was not what it was thought to be: then the next step goes on from what it is. */
  async #advance(to: Progress): Promise<boolean> {
    const { control, log, logger, metrics } = this.#context;
    const { topic, partition } = this.#assignment;
    const won = await this.#untilDone(() =>
      control.recordProgress.advance(log.logId, topic, partition, this.#progress, to),
    );
    if (!won) {
      metrics.lostClaims.add(1);
      logger.warn({ partition: this.#who, wanted: to }, "record_lost_claim");
    }
    this.#follow(
      won ? to : await this.#untilDone(() => control.recordProgress.read(log.logId, topic, partition)),
    );
    return won;
  }

  #follow(progress: Progress): void {
    this.#progress = progress;
    this.#context.budget.take(-this.#buffer.drop(progress.done));
  }

  /** A hint for lag tools: the row is what counts, so a failure is only told. */
  async #commit(next: number): Promise<void> {
    try {
      await this.#assignment.commit(next);
    } catch (error) {
      this.#context.logger.debug({ partition: this.#who, error: String(error) }, "record_commit_failed");
    }
  }

  #untilDone<T>(step: () => Promise<T>): Promise<T> {
    return untilDone(this.#context, this.#who, this.#cut.signal, step);
  }
}

import type { PendingAnswer } from "../../schemas/change.ts";
import { PartitionEvaluation } from "../domain/evaluation/evaluation.ts";
import type { DeadLetterProblem, EvaluationSink } from "../domain/evaluation/sink.ts";
import type { LogRecord } from "../domain/log-record.ts";
import { type AddressedEvent, eventRecord, type ProbeAnswer, tickRecord } from "../domain/records.ts";
import type { Assignment, NewRecord, PartitionConsumer } from "../ports/event-log.ts";
import { Committer } from "./committer.ts";
import type { EvaluateContext } from "./context.ts";
import type { DeadLetterLimit } from "./dead-letters.ts";
import type { LivePublisher, TakenUpdates } from "./live-publisher.ts";
import { OrderedAppender } from "./ordered-appender.ts";
import { PartitionSnapshots } from "./snapshots.ts";

/** While more events than this wait to be durable, folding waits too. One slice of a record may overrun it. */
const EVENTS_QUEUED_MAX = 10_000;

/** After a snapshot, at least so many times what it took: the rest of the time is for readings. */
const SNAPSHOT_RESTS = 5;

/** What the partitions of a worker share, and how they tell it that they are gone. */
export interface PartitionParts {
  readonly context: EvaluateContext;
  readonly live: LivePublisher;
  readonly deadLetterLimit: DeadLetterLimit;
  /** Whether the worker stops: then, and not when a partition moves on, a snapshot is left behind. */
  readonly stopping: () => boolean;
  readonly left: (worker: PartitionWorker) => void;
}

/** Evaluates one partition for as long as it is assigned. */
export class PartitionWorker implements PartitionConsumer, EvaluationSink {
  readonly startAt: number;
  readonly partition: number;
  readonly evaluation: PartitionEvaluation;
  readonly #parts: PartitionParts;
  readonly #assignment: Assignment;
  readonly #snapshots: PartitionSnapshots;
  readonly #giveUp = new AbortController();
  readonly #events: OrderedAppender;
  readonly #deadLetters: OrderedAppender;
  readonly #committer: Committer;
  /** Below this offset everything was told before: it is folded silently. */
  readonly #loudFrom: number;
  readonly #told: NewRecord[] = [];
  readonly #lost: NewRecord[] = [];
  /** Whether a batch is under way, or was left in the middle: then the state is of no use, not even to be pictured. */
  #torn = false;
  #lastRecordAtMs: number;
  #ticking: Promise<void> | null = null;
  #snapshotting: Promise<void> | null = null;
  #snapshotAtMs: number;
  #snapshotTookMs = 0;
  #snapshotReadings = 0;
  #snapshotOffset: number;
  /** Where the snapshot before that one stands, as far as this worker knows: the log may be trimmed up to there. */
  #snapshotBeforeOffset = 0;
  /** The offset after the newest record that fills the log, as all do but ticks. */
  #weightEnd: number;
  #cancelDrainLimit: (() => void) | null = null;

  private constructor(
    parts: PartitionParts,
    assignment: Assignment,
    snapshots: PartitionSnapshots,
    evaluation: PartitionEvaluation,
  ) {
    const { context } = parts;
    this.#parts = parts;
    this.#assignment = assignment;
    this.partition = assignment.partition;
    this.evaluation = evaluation;
    this.#snapshots = snapshots;
    this.startAt = Math.max(evaluation.nextOffset, assignment.earliest);
    this.#loudFrom = assignment.committed ?? 0;
    const failed = (reason: unknown) => assignment.fail(reason);
    this.#events = new OrderedAppender(context, "events", this.#giveUp.signal, failed);
    this.#deadLetters = new OrderedAppender(context, "dead-letters", this.#giveUp.signal, failed);
    this.#committer = new Committer(context, assignment, () => this.#durable(), this.#giveUp.signal);
    this.#lastRecordAtMs = context.clock.monotonic();
    this.#snapshotAtMs = this.#lastRecordAtMs;
    this.#snapshotOffset = evaluation.nextOffset;
    this.#weightEnd = evaluation.nextOffset;
    assignment.signal.addEventListener("abort", () => this.#limitDrain(), { once: true });
  }

  static async open(parts: PartitionParts, assignment: Assignment): Promise<PartitionWorker> {
    const { log, clock, logger, metrics } = parts.context;
    const began = clock.monotonic();
    const { partition, earliest } = assignment;
    const of = { logId: log.logId, partition, partitions: log.partitions("readings") };
    const snapshots = new PartitionSnapshots(parts.context, of);
    const state = await snapshots.restore(assignment);
    if (state === null && earliest > 0) logger.error({ partition, earliest }, "evaluate_state_lost");
    metrics.restoreSeconds.observe((clock.monotonic() - began) / 1000);
    const evaluation = state === null ? new PartitionEvaluation(of) : new PartitionEvaluation(of, state);
    return new PartitionWorker(parts, assignment, snapshots, evaluation);
  }

  /** Append time of the newest record evaluated, Unix ms. */
  get recordMs(): number {
    return this.evaluation.recordMs;
  }

  async records(batch: readonly LogRecord[]): Promise<void> {
    if (!(await this.#roomForEvents())) return;
    this.#lastRecordAtMs = this.#parts.context.clock.monotonic();
    const { readings, late } = this.evaluation.counts;
    this.#torn = true;
    for (const record of batch) {
      const sink = record.offset < this.#loudFrom ? null : this;
      for (const _ of this.evaluation.slices(record, sink)) if (!(await this.#rest())) return;
      if (record.value.length > 0) this.#weightEnd = record.offset + 1;
    }
    this.#torn = false;
    this.#tell();
    this.#committer.reached(this.evaluation.nextOffset);
    this.#count(readings, late);
  }

  event(event: AddressedEvent): void {
    this.#told.push(eventRecord(event));
    this.#parts.context.metrics.events.add(1, { kind: event.event.event });
  }

  deadLetter(problem: DeadLetterProblem, offset: number, line: number | null, bytes: Uint8Array): void {
    const record = this.#parts.deadLetterLimit.record(this.partition, problem, offset, line, bytes);
    if (record !== null) this.#lost.push(record);
  }

  probeAnswer(probeId: string, answer: ProbeAnswer): void {
    this.#parts.live.answer(probeId, answer);
  }

  pendingAnswer(questionId: string, answer: PendingAnswer): void {
    this.#parts.live.pending(questionId, this.partition, answer);
  }

  /**
   * The newest values of up to `limit` signals; null while another process may tell newer ones, and while records are
   * folded whose values were told before.
   */
  takeLive(limit: number): TakenUpdates | null {
    if (!this.#assignment.isHeld() || this.evaluation.nextOffset < this.#loudFrom) return null;
    const { logId } = this.#parts.context.log;
    const place = { logId, partition: this.partition, offset: this.evaluation.nextOffset };
    return { place, updates: this.evaluation.takeLive(limit) };
  }

  /** Appends a tick if time alone could change something here and no record has come for a while. */
  tickIfIdle(): void {
    const { clock, settings } = this.#parts.context;
    const idle = clock.monotonic() - this.#lastRecordAtMs >= settings.tickAfterMs;
    if (idle && !this.#torn && this.evaluation.timePending) this.#ticking ??= this.#tick();
  }

  /** Begins a snapshot if there is something new and it is time, or if a full log waits for it. */
  snapshotIfDue(): Promise<void> | null {
    const { clock, settings } = this.#parts.context;
    const sinceMs = clock.monotonic() - this.#snapshotAtMs;
    const isNew = this.evaluation.nextOffset > this.#snapshotOffset;
    const due = isNew && (sinceMs >= settings.snapshotEveryMs || this.#isWorthSooner(sinceMs));
    if (this.#torn) return this.#snapshotting;
    if (due || (this.#holdsFullLog && sinceMs >= settings.snapshotWhenFullEveryMs))
      this.#snapshotting ??= this.#snapshot();
    return this.#snapshotting;
  }

  #isWorthSooner(sinceMs: number): boolean {
    const { snapshotSoonerEveryMs, snapshotSoonerReadings } = this.#parts.context.settings;
    const restMs = Math.max(snapshotSoonerEveryMs, SNAPSHOT_RESTS * this.#snapshotTookMs);
    const folded = this.evaluation.counts.readings - this.#snapshotReadings;
    return sinceMs >= restMs && folded >= snapshotSoonerReadings;
  }

  /**
   * A full log takes no readings until it is trimmed, and it is trimmed up to the snapshot before the newest. So both
   * must stand past what fills it, even if the newer one pictures the same state again.
   */
  get #holdsFullLog(): boolean {
    return this.#snapshotBeforeOffset < this.#weightEnd && !this.#parts.context.log.hasRoom();
  }

  /** How much of it is here, and how much of that waits. */
  get gauges() {
    const { signals, livePending } = this.evaluation;
    return { signals, eventsQueued: this.#events.pending, liveQueued: livePending };
  }

  async revoked(): Promise<void> {
    const { left, stopping } = this.#parts;
    left(this);
    this.#limitDrain();
    const committed = await this.#committer.finish();
    if (stopping() && committed && !this.#torn) {
      await this.#snapshotting;
      if (this.evaluation.nextOffset > this.#snapshotOffset) await this.#snapshot();
    }
    this.#cancelDrainLimit?.();
    this.#giveUp.abort(new Error("the partition was let go of"));
    await Promise.all([this.#events.idle(), this.#deadLetters.idle(), this.#ticking, this.#snapshotting]);
  }

  /** From the moment the partition is taken away: an engine that is away must not hold a shutdown for ever. */
  #limitDrain(): void {
    const { clock, settings } = this.#parts.context;
    this.#cancelDrainLimit ??= clock.after(settings.drainMs, () => {
      this.#giveUp.abort(new Error("the partition was let go of before its events were durable"));
    });
  }

  #tell(): void {
    this.#events.push(this.#told.splice(0));
    this.#deadLetters.push(this.#lost.splice(0));
  }

  /** Between two slices of a record: tells what there is, and lets others have a turn. False as below. */
  async #rest(): Promise<boolean> {
    this.#tell();
    if (!(await this.#roomForEvents())) return false;
    const { signal } = this.#giveUp;
    await this.#parts.context.clock.sleep(0, signal).catch(() => undefined);
    return !signal.aborted;
  }

  /** Back-pressure. False: the partition was let go of meanwhile, and the batch is left to the next owner. */
  async #roomForEvents(): Promise<boolean> {
    if (this.#events.pending > EVENTS_QUEUED_MAX) {
      await this.#events.durable().catch((error: unknown) => {
        if (!this.#giveUp.signal.aborted) throw error;
      });
    }
    return !this.#giveUp.signal.aborted;
  }

  async #durable(): Promise<void> {
    await Promise.all([this.#events.durable(), this.#deadLetters.durable()]);
  }

  #count(readingsBefore: number, lateBefore: number): void {
    const { metrics } = this.#parts.context;
    const { readings, late } = this.evaluation.counts;
    metrics.readings.add(readings - readingsBefore);
    if (late > lateBefore) metrics.late.add(late - lateBefore);
  }

  async #tick(): Promise<void> {
    const { log, clock, logger } = this.#parts.context;
    try {
      await log.append("readings", [tickRecord(this.partition)]);
      this.#lastRecordAtMs = clock.monotonic();
    } catch (error) {
      logger.warn({ partition: this.partition, error: String(error) }, "evaluate_tick_failed");
    } finally {
      this.#ticking = null;
    }
  }

  #sealed(offset: number): void {
    this.#snapshotBeforeOffset = this.#snapshotOffset;
    this.#snapshotOffset = offset;
  }

  async #snapshot(): Promise<void> {
    const { clock, logger, metrics } = this.#parts.context;
    const [began, offset] = [clock.monotonic(), this.evaluation.nextOffset];
    const { readings } = this.evaluation.counts;
    try {
      const sealed = await this.#snapshots.write(this.evaluation, () => this.#durable(), this.#giveUp.signal);
      if (sealed) {
        this.#sealed(offset);
        this.#snapshotReadings = readings;
      } else metrics.snapshotFailures.add(1, { reason: "snapshot_overtaken" });
    } catch (error) {
      metrics.snapshotFailures.add(1, { reason: "snapshot_not_written" });
      logger.warn({ partition: this.partition, error: String(error) }, "snapshot_not_written");
    } finally {
      this.#snapshotAtMs = clock.monotonic();
      this.#snapshotTookMs = this.#snapshotAtMs - began;
      this.#snapshotting = null;
    }
  }
}

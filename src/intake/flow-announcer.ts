import type { SourceId } from "../../schemas/common.ts";
import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import { changeRecord, type OutgoingRecord } from "../domain/records.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";

/** Shorter pauses are not worth a record in every partition: no-data limits are whole seconds. */
const ANNOUNCE_AFTER_MS = 250;
/** Sources told in one append. */
const SOURCES_PER_APPEND = 100;
/** Who lets go of a source waits so long for what is still to be said of it; later it would be wrong. */
const LAST_WORD_MS = 1_500;

interface Told {
  wanted: boolean;
  /** What the log holds; null while nobody can know. */
  told: boolean | null;
  gone: boolean;
  /** Whether this process may speak for the source: one that stood still may not, until it knows better. */
  readonly isOurs: () => boolean;
  /** Called when the log holds what is wanted. */
  reached: () => void;
}

const reached = () => undefined;

export interface FlowAnnouncerOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
}

/**
 * Tells every partition which sources are paused, so that the no-data clock of their signals stands still. It brings
 * what the log holds to what is so, whatever happened between:
 * - a source starts as `told: null`, so `paused: false` is always written, as a crash may have left `true` behind;
 * - a pause that ends before it is sent is forgotten: both records together would say nothing. Where the log could
 *   not be written meanwhile, nothing is lost: it then has no records between which the clock moves beyond its 5 s;
 * - an append whose outcome is unknown counts as unknown, and is followed by what is so;
 * - a stopping worker leaves its sources paused: until somebody reads them again, silence is ours, not theirs;
 * - nothing is said of a source once another process may run it: that one has begun with `false`, and knows better.
 */
export class FlowAnnouncer {
  readonly #options: FlowAnnouncerOptions;
  readonly #sources = new Map<SourceId, Told>();
  readonly #stop = new AbortController();
  #cancelTimer: (() => void) | null = null;
  #appending: Promise<unknown> = Promise.resolve();
  #telling = false;
  #task: Promise<void> = Promise.resolve();

  constructor(options: FlowAnnouncerOptions) {
    this.#options = options;
  }

  /** This process runs the source now, and it flows. */
  started(id: SourceId, isOurs: () => boolean = () => true): void {
    this.#sources.set(id, { wanted: false, told: null, gone: false, isOurs, reached });
    this.#start();
  }

  /** Sources may be spoken for again. */
  look(): void {
    this.#start();
  }

  paused(id: SourceId, paused: boolean): void {
    const source = this.#sources.get(id);
    if (source === undefined) return;
    source.wanted = paused;
    if (!paused) this.#start();
    else {
      this.#cancelTimer ??= this.#options.clock.after(ANNOUNCE_AFTER_MS, () => {
        this.#cancelTimer = null;
        this.#start();
      });
    }
  }

  /** Nobody runs the source, or no longer; `false` is left behind, also for one deleted while nobody ran it. */
  ended(id: SourceId): void {
    const source = this.#sources.get(id);
    const told = source?.told ?? null;
    this.#sources.set(id, { wanted: false, told, gone: true, isOurs: () => true, reached });
    this.#start();
  }

  /** Another process is to run the source: says no more of it. Resolves when nothing is on its way to the log. */
  async handOver(id: SourceId): Promise<void> {
    this.#sources.delete(id);
    await this.#soon(this.#appending);
  }

  /** The process stops: leaves the source paused, and says no more of it. Resolves when the log has it, or cannot. */
  async leave(id: SourceId): Promise<void> {
    const source = this.#sources.get(id);
    if (source === undefined) return;
    source.wanted = true;
    const told = Promise.withResolvers<void>();
    source.reached = () => told.resolve();
    if (source.told === true) told.resolve();
    this.#start();
    await this.#soon(told.promise);
    this.#sources.delete(id);
  }

  /** Says what is still to be said, and leaves every source that is still run here as paused. Gives up when `deadline` aborts. */
  async stop(deadline: AbortSignal): Promise<void> {
    this.#cancelTimer?.();
    for (const source of this.#sources.values()) source.wanted = !source.gone;
    const giveUp = () => this.#stop.abort(deadline.reason);
    if (deadline.aborted) giveUp();
    deadline.addEventListener("abort", giveUp);
    this.#start();
    await this.#task;
    deadline.removeEventListener("abort", giveUp);
  }

  async #soon(task: Promise<unknown>): Promise<void> {
    const late = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(LAST_WORD_MS, () => late.resolve());
    await Promise.race([task, late.promise]);
    cancel();
  }

  #start(): void {
    if (this.#telling) return;
    this.#telling = true;
    this.#task = this.#tell();
  }

  async #tell(): Promise<void> {
    const { clock, entropy } = this.#options;
    for (let attempt = 0; !this.#stop.signal.aborted; ) {
      const due = this.#due();
      if (due.length === 0) break;
      const appending = this.#append(due);
      this.#appending = appending;
      attempt = (await appending) ? 0 : attempt + 1;
      const ms = attempt === 0 ? 0 : fullJitterMs(ENGINE, attempt, entropy.random());
      if (ms > 0) await clock.sleep(ms, this.#stop.signal).catch(() => undefined);
    }
    this.#telling = false;
  }

  #due(): [SourceId, Told][] {
    for (const [id, { gone, told }] of this.#sources) if (gone && told === false) this.#sources.delete(id);
    return [...this.#sources]
      .filter(([, { wanted, told, isOurs }]) => wanted !== told && isOurs())
      .slice(0, SOURCES_PER_APPEND);
  }

  async #append(due: readonly [SourceId, Told][]): Promise<boolean> {
    const { log, logger } = this.#options;
    const sent = due.map(([, source]) => source.wanted);
    const records = due.flatMap(([id, { wanted }]) => this.#records(id, wanted));
    // From here until the answer nobody knows what the log holds.
    for (const [, source] of due) source.told = null;
    try {
      await log.append("readings", records);
      due.forEach(([, source], index) => {
        source.told = sent[index] ?? null;
        if (source.told === source.wanted) source.reached();
      });
      return true;
    } catch (error) {
      logger.warn({ sources: due.length, error: String(error) }, "ingest_flow_not_announced");
      return false;
    }
  }

  #records(sourceId: SourceId, paused: boolean): OutgoingRecord[] {
    const partitions = this.#options.log.partitions("readings");
    return Array.from({ length: partitions }, (_, partition) =>
      changeRecord({ type: "sourceFlow", sourceId, paused }, partition),
    );
  }
}

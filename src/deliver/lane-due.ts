import type { DeliveryId, WebhookId } from "../../schemas/common.ts";
import type { Clock } from "../ports/clock.ts";
import type { Deliveries, DueDelivery } from "../ports/webhooks.ts";
import type { Retrying } from "./retrying.ts";
import { SignalQueue } from "./signal-queue.ts";

/** First attempts in memory; beyond, they are read from control data when their turn comes. */
const QUEUE_MAX = 500;
const PAGE = 200;
const RETRIES_MAX = 64;
/** After a failure that nobody thought of. */
const FAILED_PAUSE_MS = 1_000;

export interface LaneDueParts {
  readonly webhookId: WebhookId;
  readonly deliveries: Pick<Deliveries, "first" | "retries">;
  readonly clock: Clock;
  /** Does it until it works, or until the signal aborts. */
  readonly retrying: Retrying;
  /** Ends what is being read. */
  readonly stopping: AbortSignal;
  /** There may be more to take than before. */
  readonly changed: () => void;
  /** Something that nobody thought of. */
  readonly failed: (error: unknown) => void;
}

/** What is due to one endpoint, as far as it is in memory: first attempts in order, and retries beside them. */
export class LaneDue {
  readonly #parts: LaneDueParts;
  readonly #queue = new SignalQueue();
  #retries: DueDelivery[] = [];
  /** Queued, under way or not saved yet, with their positions: what control data says of them is old. */
  readonly #known = new Map<DeliveryId, number>();
  /** Position of the newest first attempt that was taken up. */
  #above = -1;
  /** From here on there may be some below that, too. */
  #from = Number.POSITIVE_INFINITY;
  /** There may be more in control data than is in memory. */
  #isBehind = true;
  #retryAt = 0;
  /** Until when nothing is read after a failure, Unix ms. */
  #pausedUntil = 0;
  #reading: Promise<void> | null = null;
  #isReadingFirst = false;

  constructor(parts: LaneDueParts) {
    this.#parts = parts;
  }

  /** First attempts that wait. */
  get queued(): number {
    return this.#queue.size;
  }
  /** When retries are to be looked for again, Unix ms. */
  get retryAt(): number {
    return this.#retryAt;
  }

  /** What has just been made durable, in the order of events. */
  offer(due: DueDelivery): void {
    // Before what is being read it would go out of order, and what stands between would be passed over.
    if (this.#isBehind || this.#isReadingFirst || this.#queue.size >= QUEUE_MAX) this.#isBehind = true;
    else this.#enqueue(due);
  }

  /** There may be first attempts in control data that nobody offered, from this position on. */
  checkFirst(position = this.#above + 1): void {
    this.#from = Math.min(this.#from, position);
    this.#isBehind = true;
  }

  /** The first one that waits in control data has this position: if it is not known here, it was let go of late. */
  checkWaiting(position: number): void {
    const isKnown = position > this.#above || [...this.#known.values()].includes(position);
    this.checkFirst(isKnown ? undefined : position);
  }

  /** There may be retries that are due at `at`, or earlier than was known. */
  checkRetries(at: number): void {
    this.#retryAt = Math.min(this.#retryAt, at);
  }

  has(withRetries: boolean): boolean {
    return this.#queue.hasReady || (withRetries && this.#retries.length > 0);
  }

  /** Retries first, if they are wanted. */
  take(withRetries: boolean): { readonly due: DueDelivery; readonly isRetry: boolean } | undefined {
    const retry = withRetries ? this.#retries.shift() : undefined;
    const due = retry ?? this.#queue.take();
    return due === undefined ? undefined : { due, isRetry: retry !== undefined };
  }

  /** The first attempt has ended: the next one of its signal may be taken. */
  done(due: DueDelivery): void {
    this.#queue.done(due);
  }

  /** Control data is right about these again. */
  forget(ids: readonly DeliveryId[]): void {
    for (const id of ids) this.#known.delete(id);
  }

  /** Nobody knows what became of it: control data is asked again, a moment later. */
  failed({ id, position }: DueDelivery): void {
    this.forget([id]);
    this.checkFirst(position);
    this.#pause();
  }

  clear(): void {
    this.#queue.clear();
    this.#retries = [];
  }

  /** Reads what is missing in memory, one read at a time. */
  read(): void {
    if (this.#reading !== null || this.#parts.clock.now() < this.#pausedUntil) return;
    const wantsFirst = this.#isBehind && this.#queue.size < PAGE;
    const wantsRetries = this.#retries.length === 0 && this.#retryAt <= this.#parts.clock.now();
    if (!wantsFirst && !wantsRetries) return;
    const { stopping, changed, failed } = this.#parts;
    this.#reading = (async () => {
      if (wantsFirst) await this.#readFirst();
      if (wantsRetries) await this.#readRetries();
    })()
      .catch((error: unknown) => {
        if (!stopping.aborted) failed(error);
        this.#pause();
      })
      .finally(() => {
        this.#reading = null;
        changed();
      });
  }

  #pause(): void {
    this.#pausedUntil = this.#parts.clock.now() + FAILED_PAUSE_MS;
    this.checkRetries(this.#pausedUntil);
  }

  #enqueue(due: DueDelivery, isKnown = false): void {
    this.#above = Math.max(this.#above, due.position);
    if (isKnown || this.#known.has(due.id)) return;
    this.#known.set(due.id, due.position);
    this.#queue.push(due);
  }

  async #readFirst(): Promise<void> {
    const { webhookId, deliveries, retrying, stopping } = this.#parts;
    const known = new Set(this.#known.keys());
    const above = Math.min(this.#above, this.#from - 1);
    this.#from = Number.POSITIVE_INFINITY;
    this.#isBehind = false;
    this.#isReadingFirst = true;
    try {
      const page = await retrying(() => deliveries.first(webhookId, above, PAGE), stopping);
      // What was under way as they were read may be done by now.
      for (const due of page) this.#enqueue(due, known.has(due.id));
      const last = page.at(-1);
      if (last !== undefined && page.length >= PAGE) this.checkFirst(last.position + 1);
    } catch (error) {
      this.checkFirst(above + 1);
      throw error;
    } finally {
      this.#isReadingFirst = false;
    }
  }

  async #readRetries(): Promise<void> {
    const { webhookId, deliveries, retrying, stopping, clock } = this.#parts;
    const known = new Set(this.#known.keys());
    const now = clock.now();
    this.#retryAt = Number.POSITIVE_INFINITY;
    const { due, nextAt } = await retrying(() => deliveries.retries(webhookId, now, RETRIES_MAX), stopping);
    // What was under way as they were read is not what it was.
    const fresh = due.filter(({ id }) => !known.has(id) && !this.#known.has(id));
    for (const { id, position } of fresh) this.#known.set(id, position);
    this.#retries.push(...fresh);
    this.checkRetries(due.length === RETRIES_MAX ? now : (nextAt ?? Number.POSITIVE_INFINITY));
  }
}

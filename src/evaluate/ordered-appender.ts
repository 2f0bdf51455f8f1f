import { retrying } from "../domain/retry.ts";
import { untilEngineIsBack } from "../ports/engine-retry.ts";
import type { NewRecord, Topic } from "../ports/event-log.ts";
import type { EvaluateContext } from "./context.ts";

/** Records of one append at most: a flood of events is written in pieces. */
const APPEND_RECORDS_MAX = 1_000;

interface Waiter {
  readonly upTo: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * Appends records in the order given, whatever fails: one append at a time, tried until it works, while what is pushed
 * meanwhile gathers for the next. So order costs no waiting for a timer, and at most one append's time.
 */
export class OrderedAppender {
  readonly #context: EvaluateContext;
  readonly #topic: Topic;
  readonly #signal: AbortSignal;
  readonly #failed: (reason: unknown) => void;
  #queue: NewRecord[] = [];
  #pushed = 0;
  #durable = 0;
  #waiters: Waiter[] = [];
  #running: Promise<void> | null = null;
  #failure: { readonly reason: unknown } | null = null;

  /**
   * `signal` gives up what is not durable yet. `failed` is told when an append failed for good, but for that: it and
   * all that is pushed later is lost, and whoever pushes must begin again.
   */
  constructor(
    context: EvaluateContext,
    topic: Topic,
    signal: AbortSignal,
    failed: (reason: unknown) => void,
  ) {
    this.#context = context;
    this.#topic = topic;
    this.#signal = signal;
    this.#failed = failed;
  }

  /** Pushed and not durable yet. */
  get pending(): number {
    return this.#pushed - this.#durable;
  }

  push(records: readonly NewRecord[]): void {
    if (records.length === 0 || this.#failure !== null) return;
    for (const record of records) this.#queue.push(record);
    this.#pushed += records.length;
    this.#running ??= this.#run();
  }

  /** Resolves when everything pushed so far is durable; rejects when that will never be. */
  async durable(): Promise<void> {
    if (this.#failure !== null) throw this.#failure.reason;
    if (this.pending === 0) return;
    await new Promise<void>((resolve, reject) => {
      this.#waiters.push({ upTo: this.#pushed, resolve, reject });
    });
  }

  /** Resolves when nothing runs any more: after `durable`, or after the signal aborted. */
  async idle(): Promise<void> {
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      while (this.#queue.length > 0) await this.#appendNext();
    } catch (reason) {
      this.#fail(reason);
    } finally {
      this.#running = null;
    }
  }

  async #appendNext(): Promise<void> {
    const records = this.#queue.slice(0, APPEND_RECORDS_MAX);
    const { log } = this.#context;
    await retrying(() => log.append(this.#topic, records), untilEngineIsBack(this.#context, this.#signal));
    this.#queue = this.#queue.slice(records.length);
    this.#durable += records.length;
    const ready = this.#waiters.filter(({ upTo }) => upTo <= this.#durable);
    this.#waiters = this.#waiters.filter(({ upTo }) => upTo > this.#durable);
    for (const { resolve } of ready) resolve();
  }

  #fail(reason: unknown): void {
    this.#failure = { reason };
    this.#queue = [];
    for (const { reject } of this.#waiters.splice(0)) reject(reason);
    if (!this.#signal.aborted) this.#failed(reason);
  }
}

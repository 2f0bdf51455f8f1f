import type { DeliveryId, WebhookId } from "../../schemas/common.ts";
import { type Circuit, stateOf } from "../domain/webhooks/circuit.ts";
import { RateGate } from "../domain/webhooks/rate.ts";
import { requestHeaders } from "../domain/webhooks/request-headers.ts";
import type { WebhookSender } from "../outgoing/sending.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import type { Deliveries, DueDelivery, Lane, StoredWebhook } from "../ports/webhooks.ts";
import { type Judged, judge } from "./attempt.ts";
import type { DeliverMetrics } from "./metrics.ts";
import { SignalQueue } from "./signal-queue.ts";

/** First attempts in memory; beyond, they are read from control data when their turn comes. */
const QUEUE_MAX = 500;
const PAGE = 200;
const RETRIES_MAX = 64;
const RETRIES_AT_ONCE = 4;
/** Timers hold 24 days at most, and clocks are set. */
const WAKE_MAX_MS = 3_600_000;
/** Requests at once: begins low and grows with each success, so that an endpoint that hangs holds few. */
const WINDOW = { start: 4, max: 32 };

export interface LaneParts {
  readonly sender: WebhookSender;
  readonly deliveries: Pick<Deliveries, "first" | "retries">;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly metrics: DeliverMetrics;
  /** As it is now; undefined when it is not enabled any more. */
  readonly webhook: (id: WebhookId) => StoredWebhook | undefined;
  /** Whether the lane is this process's without doubt, now. */
  readonly isHeld: (lane: Lane) => boolean;
  readonly save: (lane: LaneRunner, judged: Judged) => void;
  /** Whether there is room for one more result; if not, the lane is pumped once there is. */
  readonly hasRoom: (lane: LaneRunner) => boolean;
  /** Does it until it works, or until the signal aborts. */
  readonly retrying: <T>(task: () => Promise<T>, signal: AbortSignal) => Promise<T>;
  /** Something that nobody thought of. */
  readonly failed: (error: unknown) => void;
}

/** Sends what is due to one endpoint: first attempts in order beside retries, as fast as it takes them. */
export class LaneRunner {
  readonly lane: Lane;
  readonly #parts: LaneParts;
  readonly #stopping = new AbortController();
  readonly #queue = new SignalQueue();
  #retries: DueDelivery[] = [];
  /** Queued, under way or not saved yet: what control data says of them is old. */
  readonly #known = new Set<DeliveryId>();
  #circuit: Circuit;
  #gate: RateGate;
  #perSecond: number | null = null;
  #window = WINDOW.start;
  #sending = 0;
  #retrying = 0;
  #unsaved = 0;
  /** Position of the newest first attempt that was taken up. */
  #above = -1;
  /** There may be more in control data than is in memory. */
  #isBehind = true;
  /** When retries are to be looked for again, Unix ms. */
  #retryAt = 0;
  #reading: Promise<void> | null = null;
  #isReadingFirst = false;
  #cancelTimer: () => void = () => undefined;
  #isDraining = false;
  #quiet: () => void = () => undefined;

  constructor(parts: LaneParts, lane: Lane) {
    this.#parts = parts;
    this.lane = lane;
    this.#circuit = lane.circuit;
    this.#gate = new RateGate(null);
  }

  get circuit(): Circuit {
    return this.#circuit;
  }
  get queued(): number {
    return this.#queue.size;
  }
  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** What has just been made durable, in the order of events. */
  offer(due: DueDelivery): void {
    // Before what is being read it would go out of order, and what stands between would be passed over.
    if (this.#isBehind || this.#isReadingFirst || this.#queue.size >= QUEUE_MAX) this.#isBehind = true;
    else this.#enqueue(due);
    this.pump();
  }

  /** There may be first attempts in control data that nobody offered, from this position on. */
  checkFirst(position = this.#above + 1): void {
    this.#above = Math.min(this.#above, position - 1);
    this.#isBehind = true;
    this.pump();
  }

  /** There may be anything. */
  check(): void {
    this.#retryAt = 0;
    this.checkFirst();
  }

  /** These attempts are in control data now. */
  saved(ids: readonly DeliveryId[]): void {
    for (const id of ids) this.#known.delete(id);
    this.#unsaved -= ids.length;
    if (this.#isQuiet) this.#quiet();
    this.pump();
  }

  /** Begins nothing more; resolves when what was under way has ended and is saved, or has been broken off. */
  async drain(): Promise<void> {
    this.#cancelTimer();
    this.#queue.clear();
    this.#retries = [];
    this.#isDraining = true;
    if (this.#isQuiet) return;
    await new Promise<void>((resolve) => {
      this.#quiet = resolve;
    });
  }

  /** Breaks off what is under way, as if it had never begun. */
  abort(): void {
    this.#isDraining = true;
    this.#cancelTimer();
    this.#stopping.abort(new Error("the lane is let go of"));
    this.#quiet();
  }

  get #isQuiet(): boolean {
    return this.#sending === 0 && this.#unsaved === 0;
  }

  /** Sends as much as may be sent now. */
  pump(): void {
    if (this.#isDraining || this.#parts.webhook(this.lane.webhookId) === undefined) return;
    this.#cancelTimer();
    if (!this.#parts.isHeld(this.lane)) return;
    this.#limitRate();
    this.#read();
    while (this.#mayTake()) {
      const waitMs = this.#gate.take(this.#parts.clock.monotonic());
      if (waitMs > 0) {
        this.#wake(waitMs);
        return;
      }
      const retry = this.#retrying < RETRIES_AT_ONCE ? this.#retries.shift() : undefined;
      const due = retry ?? this.#queue.take();
      if (due === undefined) return;
      void this.#send(due, retry !== undefined);
    }
    this.#wakeLater();
  }

  #mayTake(): boolean {
    if (this.#queue.size === 0 && (this.#retries.length === 0 || this.#retrying >= RETRIES_AT_ONCE))
      return false;
    const state = stateOf(this.#circuit, this.#parts.clock.now());
    const atOnce = state === "open" ? 0 : state === "half-open" ? 1 : this.#window;
    return this.#sending < atOnce && this.#parts.hasRoom(this);
  }

  #limitRate(): void {
    const perSecond = this.#parts.webhook(this.lane.webhookId)?.settings.ratePerSecond ?? null;
    if (perSecond === this.#perSecond) return;
    this.#perSecond = perSecond;
    this.#gate = new RateGate(perSecond);
  }

  /** The next moment at which something changes by itself: a circuit that may be probed, a retry that is due. */
  #wakeLater(): void {
    const now = this.#parts.clock.now();
    const moments = [this.#circuit.openUntilMs ?? 0, this.#retryAt].filter((at) => at > now);
    const waitMs = Math.min(...moments) - now;
    if (waitMs < WAKE_MAX_MS) this.#wake(waitMs);
    else if (Number.isFinite(waitMs)) this.#wake(WAKE_MAX_MS);
  }
  #wake(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(Math.ceil(ms), () => this.pump());
  }

  #enqueue(due: DueDelivery, isKnown = false): void {
    this.#above = Math.max(this.#above, due.position);
    if (isKnown || this.#known.has(due.id)) return;
    this.#known.add(due.id);
    this.#queue.push(due);
  }

  /** Reads what is missing in memory, one read at a time. */
  #read(): void {
    if (this.#reading !== null || stateOf(this.#circuit, this.#parts.clock.now()) === "open") return;
    const wantsFirst = this.#isBehind && this.#queue.size < PAGE;
    const wantsRetries = this.#retries.length === 0 && this.#retryAt <= this.#parts.clock.now();
    if (!wantsFirst && !wantsRetries) return;
    this.#reading = (async () => {
      if (wantsFirst) await this.#readFirst();
      if (wantsRetries) await this.#readRetries();
    })()
      .catch((error: unknown) => {
        if (!this.isStopped) this.#parts.failed(error);
      })
      .finally(() => {
        this.#reading = null;
        this.pump();
      });
  }

  async #readFirst(): Promise<void> {
    const { deliveries, retrying } = this.#parts;
    const known = new Set(this.#known);
    const above = this.#above;
    this.#isBehind = false;
    this.#isReadingFirst = true;
    try {
      const { webhookId } = this.lane;
      const page = await retrying(() => deliveries.first(webhookId, above, PAGE), this.#stopping.signal);
      // What was under way as they were read may be done by now.
      for (const due of page) this.#enqueue(due, known.has(due.id));
      if (page.length === PAGE) this.#isBehind = true;
    } finally {
      this.#isReadingFirst = false;
    }
  }

  async #readRetries(): Promise<void> {
    const { deliveries, retrying, clock } = this.#parts;
    const known = new Set(this.#known);
    const now = clock.now();
    this.#retryAt = Number.POSITIVE_INFINITY;
    const { due, nextAt } = await retrying(
      () => deliveries.retries(this.lane.webhookId, now, RETRIES_MAX),
      this.#stopping.signal,
    );
    // What was under way as they were read is not what it was.
    const fresh = due.filter(({ id }) => !known.has(id) && !this.#known.has(id));
    for (const { id } of fresh) this.#known.add(id);
    this.#retries.push(...fresh);
    const next = due.length === RETRIES_MAX ? now : (nextAt ?? Number.POSITIVE_INFINITY);
    this.#retryAt = Math.min(this.#retryAt, next);
  }

  async #send(due: DueDelivery, isRetry: boolean): Promise<void> {
    this.#sending++;
    if (isRetry) this.#retrying++;
    try {
      const judged = await this.#attempt(due);
      if (judged !== null) this.#ended(judged);
    } catch (error) {
      if (!this.isStopped) this.#parts.failed(error);
      this.#known.delete(due.id);
    }
    this.#sending--;
    if (isRetry) this.#retrying--;
    else this.#queue.done(due);
    if (this.#isQuiet) this.#quiet();
    this.pump();
  }

  async #attempt(due: DueDelivery): Promise<Judged | null> {
    const { sender, clock, entropy } = this.#parts;
    const webhook = this.#parts.webhook(this.lane.webhookId);
    if (webhook === undefined) return null;
    const at = clock.now();
    const { settings, secrets } = webhook;
    const headers = requestHeaders(settings, secrets, due, at);
    const sent = await sender.send({
      url: settings.url,
      headers,
      body: due.body,
      signal: this.#stopping.signal,
    });
    return judge(due, this.#circuit, sent, { at, now: clock.now(), random: entropy.random() });
  }

  #ended(judged: Judged): void {
    const { made, circuit, succeeded } = judged;
    this.#circuit = circuit;
    this.#window = succeeded ? Math.min(WINDOW.max, this.#window + 1) : Math.max(1, this.#window >> 1);
    if (made.nextAttemptAt !== null) this.#retryAt = Math.min(this.#retryAt, made.nextAttemptAt);
    this.#unsaved++;
    this.#parts.metrics.attempts.add(1, { outcome: made.becomes });
    this.#parts.save(this, judged);
  }
}

import type { DeliveryId, WebhookId } from "../../schemas/common.ts";
import { type Circuit, stateOf } from "../domain/webhooks/circuit.ts";
import { RateGate } from "../domain/webhooks/rate.ts";
import { requestHeaders } from "../domain/webhooks/request-headers.ts";
import type { WebhookSender } from "../outgoing/sending.ts";
import type { Entropy } from "../ports/clock.ts";
import type { DueDelivery, Lane, StoredWebhook } from "../ports/webhooks.ts";
import { type Judged, judge } from "./attempt.ts";
import { LaneDue, type LaneDueParts } from "./lane-due.ts";
import type { DeliverMetrics } from "./metrics.ts";

const RETRIES_AT_ONCE = 4;
/** Timers hold 24 days at most, and clocks are set. */
const WAKE_MAX_MS = 3_600_000;
/** Requests at once: begins low and grows with each success, so that an endpoint that hangs holds few. */
const WINDOW = { start: 4, max: 32 };

export interface LaneParts extends Pick<LaneDueParts, "deliveries" | "clock" | "retrying" | "failed"> {
  readonly sender: WebhookSender;
  readonly entropy: Entropy;
  readonly metrics: DeliverMetrics;
  /** As it is now; undefined when it is not enabled any more. */
  readonly webhook: (id: WebhookId) => StoredWebhook | undefined;
  /** Whether the lane is this process's without doubt, now. */
  readonly isHeld: (lane: Lane) => boolean;
  readonly save: (lane: LaneRunner, judged: Judged) => void;
  /** Whether there is room for one more result; if not, the lane is pumped once there is. */
  readonly hasRoom: (lane: LaneRunner) => boolean;
}

/** Sends what is due to one endpoint: first attempts in order beside retries, as fast as it takes them. */
export class LaneRunner {
  readonly lane: Lane;
  readonly #parts: LaneParts;
  readonly #stopping = new AbortController();
  readonly #due: LaneDue;
  #circuit: Circuit;
  #gate = new RateGate(null);
  #perSecond: number | null = null;
  #window = WINDOW.start;
  #sending = 0;
  #retrying = 0;
  #unsaved = 0;
  #cancelTimer: () => void = () => undefined;
  #isDraining = false;
  #quiet: () => void = () => undefined;

  constructor(parts: LaneParts, lane: Lane) {
    this.#parts = parts;
    this.lane = lane;
    this.#circuit = lane.circuit;
    this.#due = new LaneDue({
      ...parts,
      webhookId: lane.webhookId,
      stopping: this.#stopping.signal,
      changed: () => this.pump(),
    });
  }

  get circuit(): Circuit {
    return this.#circuit;
  }
  get queued(): number {
    return this.#due.queued;
  }
  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** What has just been made durable, in the order of events. */
  offer(due: DueDelivery): void {
    this.#due.offer(due);
    this.pump();
  }

  /** There may be first attempts in control data that nobody offered, from this position on. */
  checkFirst(position?: number): void {
    this.#due.checkFirst(position);
    this.pump();
  }

  /** As `checkFirst`, when the first one that waits in control data has this position. */
  checkWaiting(position: number): void {
    this.#due.checkWaiting(position);
    this.pump();
  }

  /** There may be anything. */
  check(): void {
    this.#due.checkRetries(0);
    this.checkFirst();
  }

  /** These attempts are in control data now. */
  saved(ids: readonly DeliveryId[]): void {
    this.#due.forget(ids);
    this.#unsaved -= ids.length;
    if (this.#isQuiet) this.#quiet();
    this.pump();
  }

  /** Begins nothing more; resolves when what was under way has ended and is saved, or has been broken off. */
  async drain(): Promise<void> {
    this.#cancelTimer();
    this.#due.clear();
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
    if (stateOf(this.#circuit, this.#parts.clock.now()) !== "open") this.#due.read();
    while (this.#mayTake()) {
      const waitMs = this.#gate.take(this.#parts.clock.monotonic());
      if (waitMs > 0) {
        this.#wake(waitMs);
        return;
      }
      const taken = this.#due.take(this.#mayRetry);
      if (taken === undefined) return;
      void this.#send(taken.due, taken.isRetry);
    }
    this.#wakeLater();
  }

  get #mayRetry(): boolean {
    return this.#retrying < RETRIES_AT_ONCE;
  }

  #mayTake(): boolean {
    if (!this.#due.has(this.#mayRetry)) return false;
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
    const moments = [this.#circuit.openUntilMs ?? 0, this.#due.retryAt].filter((at) => at > now);
    const waitMs = Math.min(...moments) - now;
    if (waitMs < WAKE_MAX_MS) this.#wake(waitMs);
    else if (Number.isFinite(waitMs)) this.#wake(WAKE_MAX_MS);
  }
  #wake(ms: number): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#parts.clock.after(Math.ceil(ms), () => this.pump());
  }

  async #send(due: DueDelivery, isRetry: boolean): Promise<void> {
    this.#sending++;
    if (isRetry) this.#retrying++;
    try {
      const judged = await this.#attempt(due);
      if (judged !== null) this.#ended(judged);
    } catch (error) {
      if (!this.isStopped) this.#parts.failed(error);
      this.#due.failed(due);
    }
    this.#sending--;
    if (isRetry) this.#retrying--;
    else this.#due.done(due);
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
    if (made.nextAttemptAt !== null) this.#due.checkRetries(made.nextAttemptAt);
    this.#unsaved++;
    this.#parts.metrics.attempts.add(1, { outcome: made.becomes });
    this.#parts.save(this, judged);
  }
}

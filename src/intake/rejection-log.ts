import type { Rejection, RejectionReason } from "../../schemas/source.ts";
import { copiedText } from "../domain/copied-text.ts";
import type { Clock } from "../ports/clock.ts";
import type { IngestMetrics } from "./metrics.ts";

const KEPT_PER_SECOND = 10;
const PAYLOAD_BYTES_MAX = 4096;
const DETAIL_BYTES_MAX = 1000;
/** Kept while control data cannot take them; beyond this the oldest leave. */
const WAITING_MAX = 100;

/** The start of a message as it is kept beside a rejection: text that every engine can store, and nothing more in memory. */
export const payloadOf = (text: string): string =>
  copiedText(text.slice(0, PAYLOAD_BYTES_MAX).replaceAll("\0", "\ufffd"), PAYLOAD_BYTES_MAX);

/** Where in its message a rejection stands; how many elements there are is known once the message has been mapped. */
export interface Place {
  readonly index: number;
  readonly message: { elements: number };
}
/** What is kept of a message beside a rejection. */
export interface Kept {
  readonly payload: string;
  readonly place: Place;
}
interface Waiting {
  readonly rejection: Rejection;
  readonly place: Place | null;
}

const placed = ({ rejection, place }: Waiting): Rejection =>
  place === null || place.message.elements <= 1
    ? rejection
    : { ...rejection, element: { index: place.index, of: place.message.elements } };

/** Counts every rejection of a source, and keeps the first ten of each second. */
export class RejectionLog {
  readonly #clock: Clock;
  readonly #metrics: IngestMetrics;
  readonly #untold = new Map<RejectionReason, number>();
  #waiting: Waiting[] = [];
  #second = 0;
  #keptThisSecond = 0;

  constructor(clock: Clock, metrics: IngestMetrics) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Whether the next one would be kept: a payload need be made only then. */
  get keeping(): boolean {
    return this.#keptThisSecond < KEPT_PER_SECOND || this.#secondNow() !== this.#second;
  }

  /** Counts rejections of which nothing is to be kept. */
  count(reason: RejectionReason, rejections: number): void {
    this.#untold.set(reason, (this.#untold.get(reason) ?? 0) + rejections);
  }

  add(reason: RejectionReason, detail: string, payload: string, place: Place | null = null): void {
    this.count(reason, 1);
    const second = this.#secondNow();
    if (second !== this.#second) this.#keptThisSecond = 0;
    this.#second = second;
    if (this.#keptThisSecond === KEPT_PER_SECOND) return;
    this.#keptThisSecond++;
    const at = new Date(this.#clock.now()).toISOString();
    const rejection = {
      at,
      reason,
      // A parser's words may quote the message, and hold it.
      detail: copiedText(detail, DETAIL_BYTES_MAX),
      payload: payloadOf(payload),
    };
    this.#waiting.push({ rejection, place });
    if (this.#waiting.length > WAITING_MAX) this.#waiting.shift();
  }

  /** Adds to the metric what came since the last call: a message may hold half a million rejections. */
  tellMetrics(): void {
    for (const [reason, count] of this.#untold) this.#metrics.rejected.add(count, { reason });
    this.#untold.clear();
  }

  /** What is to be stored, called between messages; given back by `restore` if that fails. */
  take(): Rejection[] {
    const taken = this.#waiting;
    this.#waiting = [];
    return taken.map(placed);
  }

  restore(rejections: readonly Rejection[]): void {
    const restored = rejections.map((rejection) => ({ rejection, place: null }));
    this.#waiting = [...restored, ...this.#waiting].slice(-WAITING_MAX);
  }

  #secondNow(): number {
    return Math.floor(this.#clock.monotonic() / 1000);
  }
}

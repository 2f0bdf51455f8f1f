import type { RejectionReason } from "../../schemas/source.ts";
import type { MessageLedger, Rejections } from "./intake.ts";
import { type Place, payloadOf, type RejectionLog } from "./rejection-log.ts";

/** Of one request, no more rejections are kept with what they say. */
const KEPT_MAX = 10;

export interface TalliedRejection {
  readonly reason: RejectionReason;
  readonly detail: string;
  readonly payload: string;
  readonly place: Place | null;
}

/** What the messages of one request came to: counted apart, for a request that is refused leaves nothing behind. */
export class Tally implements MessageLedger, Rejections {
  readonly kept: TalliedRejection[] = [];
  readonly #uncounted = new Map<RejectionReason, number>();
  #messages = 0;
  #accepted = 0;
  #skipped = 0;
  #rejected = 0;

  get messages(): number {
    return this.#messages;
  }

  get readings(): number {
    return this.#accepted;
  }

  get skippedMessages(): number {
    return this.#skipped;
  }

  get rejections(): number {
    return this.#rejected;
  }

  get keeping(): boolean {
    return this.kept.length < KEPT_MAX;
  }

  message(): void {
    this.#messages++;
  }

  accepted(readings: number): void {
    this.#accepted += readings;
  }

  skipped(): void {
    this.#skipped++;
  }

  rejected(): void {
    this.#rejected++;
  }

  add(reason: RejectionReason, detail: string, payload: string, place: Place | null): void {
    if (this.keeping) this.kept.push({ reason, detail, payload: payloadOf(payload), place });
    else this.#uncounted.set(reason, (this.#uncounted.get(reason) ?? 0) + 1);
  }

  /** Hands over what was rejected, to be counted and, in part, kept. */
  rejectTo(log: RejectionLog): void {
    for (const { reason, detail, payload, place } of this.kept) log.add(reason, detail, payload, place);
    for (const [reason, count] of this.#uncounted) log.count(reason, count);
  }
}

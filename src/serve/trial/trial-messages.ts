import type { RejectionReason } from "../../../schemas/source.ts";
import type { TriedMessage } from "../../../schemas/source-actions.ts";
import { copiedText } from "../../domain/copied-text.ts";
import type { Lines, MessageLedger, Names, Rejections } from "../../intake/intake.ts";
import type { NewReading } from "../../intake/waiting-readings.ts";
import { timestamp } from "../answers.ts";

const MESSAGES_MAX = 20;
const READINGS_MAX = 50;
const REJECTIONS_MAX = 10;
const DETAIL_BYTES_MAX = 1_000;

const messageOf = (payload: string): TriedMessage => ({
  payload,
  mapped: 0,
  skipped: 0,
  rejected: 0,
  readings: [],
  rejections: [],
});

/** Where the way of messages ends that are only tried: shows what became of the first 20, and keeps nothing. */
export class TrialMessages implements Names, Lines, MessageLedger, Rejections {
  readonly shown: TriedMessage[] = [];
  /** Payloads are kept here, beside what became of them. */
  readonly keeping = false;
  #current = messageOf("");

  get isFull(): boolean {
    return this.shown.length >= MESSAGES_MAX;
  }

  begin(payload: string): void {
    this.#current = messageOf(payload);
    if (!this.isFull) this.shown.push(this.#current);
  }

  /** None is known here: to ask what a name means may make a signal. */
  find(): undefined {
    return undefined;
  }

  findBytes(): undefined {
    return undefined;
  }

  wait(name: string, { atMs, strength, receipt }: NewReading): void {
    receipt.rejected();
    const { readings } = this.#current;
    this.#current.mapped++;
    if (readings.length < READINGS_MAX) readings.push({ signal: name, at: timestamp(atMs), strength });
  }

  /** Nothing is ever found to be written. */
  write(): void {}

  message(): void {}

  accepted(): void {}

  skipped(): void {
    this.#current.skipped++;
  }

  rejected(): void {
    this.#current.rejected++;
  }

  add(reason: RejectionReason, detail: string): void {
    const { rejections } = this.#current;
    if (rejections.length < REJECTIONS_MAX)
      rejections.push({ reason, detail: copiedText(detail, DETAIL_BYTES_MAX) });
  }
}

/** As a source says that makes no signals: readings of these names would be rejected. */
export const withoutUnknown = (message: TriedMessage, isKnown: (name: string) => boolean): TriedMessage => {
  const readings = message.readings.filter(({ signal }) => isKnown(signal));
  const unknown = message.readings.filter(({ signal }) => !isKnown(signal));
  const refused = unknown.map(({ signal }) => ({
    reason: "unknown_signal" as const,
    detail: `no signal is called ${signal}`,
  }));
  return {
    ...message,
    mapped: message.mapped - unknown.length,
    rejected: message.rejected + unknown.length,
    readings,
    rejections: [...message.rejections, ...refused].slice(0, REJECTIONS_MAX),
  };
};

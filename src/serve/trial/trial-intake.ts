import { isUtf8 } from "node:buffer";
import type { JSONValue } from "json-p3";
import type { RejectionReason } from "../../../schemas/source.ts";
import { copiedText } from "../../domain/copied-text.ts";
import type { CompiledMapping } from "../../domain/mapping/visitor.ts";
import { Intake } from "../../intake/intake.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Received } from "../../sources/source.ts";
import { TrialMessages } from "./trial-messages.ts";

const PAYLOAD_BYTES_MAX = 4_096;
/** Longer than what is shown, so that nothing to be hidden is cut in two by it. */
const LOOKED_AT_BYTES = 16 * PAYLOAD_BYTES_MAX;

export interface TrialIntakeOptions {
  readonly mapping: CompiledMapping;
  readonly clock: Clock;
  readonly retentionRawDays: number | null;
  /** Takes out of a text what nobody is shown. */
  readonly hide: (text: string) => string;
  /** As many messages have come as are shown. */
  readonly enough: () => void;
}

/** Takes messages as a running source does, up to the log. */
export class TrialIntake implements Received {
  readonly messages = new TrialMessages();
  readonly #options: TrialIntakeOptions;
  readonly #intake: Intake;

  constructor(options: TrialIntakeOptions) {
    const { mapping, clock, retentionRawDays } = options;
    const { messages } = this;
    this.#options = options;
    const ends = { resolver: messages, writer: messages, ledger: messages, rejections: messages };
    this.#intake = new Intake({ mapping, clock, retentionRawDays, ...ends });
  }

  receive(data: Buffer, binary: boolean): void {
    const begin = data.subarray(0, LOOKED_AT_BYTES);
    const text = isUtf8(data) ? begin.toString("utf8") : begin.toString("hex");
    this.#next(text, () => this.#intake.receive(data, binary));
  }

  arrive(): void {
    this.#next("", () => this.#intake.arrive());
  }

  reading(name: string, atMs: number, strength: number, element: JSONValue): void {
    this.#intake.reading(name, atMs, strength, element);
  }

  refused(reason: RejectionReason, detail: string): void {
    this.#next("", () => this.#intake.refused(reason, detail));
  }

  /** The steps of the handshake are shown by themselves. */
  consumed(): void {}

  cut(): Promise<number> {
    return this.#intake.cut();
  }

  #next(text: string, take: () => void): void {
    const { messages } = this;
    const wasFull = messages.isFull;
    messages.begin(wasFull ? "" : copiedText(this.#options.hide(text), PAYLOAD_BYTES_MAX));
    if (!wasFull) take();
    if (messages.isFull) this.#options.enough();
  }
}

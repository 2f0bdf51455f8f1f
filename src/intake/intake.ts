import { isUtf8 } from "node:buffer";
import type { JSONValue } from "json-p3";
import type { RejectionReason } from "../../schemas/source.ts";
import { signalNameProblem } from "../domain/mapping/signal-name.ts";
import { oldestReadingMs, readingProblem } from "../domain/mapping/validity.ts";
import type { CompiledMapping, MappingVisitor } from "../domain/mapping/visitor.ts";
import type { Clock } from "../ports/clock.ts";
import type { Contributor } from "./open-block.ts";
import { Receipt } from "./receipt.ts";
import { type Place, payloadOf } from "./rejection-log.ts";
import type { SignalRef } from "./signal-cache.ts";
import type { NewReading, Origin } from "./waiting-readings.ts";

const BINARY_PAYLOAD_BYTES = 2048;

/** Words for what is wrong with a mapped reading. */
export const DETAILS: Partial<Record<RejectionReason, string>> = {
  strength_out_of_range: "the strength is outside -200 to 50 dBm",
  time_in_future: "the time is more than 5 minutes ahead",
  time_too_old: "the time is before 2000, or older than raw readings are kept (RETENTION_RAW_DAYS)",
};

/** Finds the signals that names mean; what it does not know yet waits with it. */
export interface Names {
  /** The signal, if a reading of this name may be written at once. */
  find(name: string): SignalRef | undefined;
  /** The same by the bytes of an ASCII name; may not know what `find` knows. */
  findBytes(bytes: Uint8Array, start: number, end: number): SignalRef | undefined;
  /** Takes a reading of a name that `find` did not know. */
  wait(name: string, reading: NewReading, origin: Origin): void;
}
/** Takes readings that are ready. */
export interface Lines {
  write(signal: SignalRef, atMs: number, strength: number, contributor: Contributor): void;
}
/** Counts what becomes of messages. */
export interface MessageLedger {
  message(nowMs: number): void;
  accepted(readings: number): void;
  skipped(): void;
  rejected(): void;
}
/** Keeps some of what was rejected. */
export interface Rejections {
  /** Whether the next one would be kept: a payload need be made only then. */
  readonly keeping: boolean;
  add(reason: RejectionReason, detail: string, payload: string, place: Place | null): void;
}

export interface IntakeOptions {
  readonly mapping: CompiledMapping;
  readonly resolver: Names;
  readonly writer: Lines;
  readonly ledger: MessageLedger;
  readonly rejections: Rejections;
  readonly clock: Clock;
  readonly retentionRawDays: number | null;
}

/** The way of one source's messages: text → JSON → readings → lines of blocks. Nothing a sender sends makes it throw. */
export class Intake implements MappingVisitor {
  readonly #options: IntakeOptions;
  readonly #resolver: Names;
  readonly #writer: Lines;
  readonly #signals: SignalRef[] = [];
  #receipt: Receipt;
  #nowMs = 0;
  #oldestMs = 0;
  #text = "";
  #message: JSONValue = null;
  #elements = 0;
  #whole: { elements: number } | null = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#resolver = options.resolver;
    this.#writer = options.writer;
    this.#receipt = this.#newReceipt();
  }

  /** One message as it came; `binary` says that the sender called it so. `arrivalMs` is for one that came before. */
  receive(data: Buffer, binary: boolean, arrivalMs?: number): void {
    this.arrive();
    try {
      this.#receive(data, binary ? "binary_frame" : "not_json", arrivalMs ?? this.#nowMs);
    } finally {
      if (this.#whole !== null) this.#whole.elements = this.#elements;
      // Between messages nothing of them is held.
      this.#whole = null;
      this.#message = null;
      this.#text = "";
    }
  }

  /** Marks the arrival of a message that needs no parsing; its readings follow by `reading`. */
  arrive(): void {
    const { clock, ledger, retentionRawDays } = this.#options;
    this.#nowMs = clock.now();
    this.#oldestMs = oldestReadingMs(this.#nowMs, retentionRawDays);
    this.#elements = 0;
    this.#whole = null;
    ledger.message(this.#nowMs);
  }

  /** A message that could not be received. */
  refused(reason: RejectionReason, detail: string): void {
    this.arrive();
    this.rejected(reason, detail, "");
  }

  /** A message that the connection itself has used. */
  consumed(): void {
    this.arrive();
    this.skipped();
  }

  /** Resolves with how many readings became durable of those received since the last cut, once all have settled. */
  cut(): Promise<number> {
    const receipt = this.#receipt;
    this.#receipt = this.#newReceipt();
    return receipt.close();
  }

  reading(name: string, atMs: number, strength: number, element: JSONValue): void {
    const problem = readingProblem(atMs, strength, this.#nowMs, this.#oldestMs);
    if (problem !== null) {
      this.rejected(problem, DETAILS[problem] ?? problem);
      return;
    }
    const signal = this.#resolver.find(name);
    if (signal === undefined) {
      this.#unresolved(name, atMs, strength, element);
      return;
    }
    this.#write(signal, atMs, strength);
  }

  skipped(): void {
    this.#elements++;
    this.#options.ledger.skipped();
  }

  rejected(reason: RejectionReason, detail: string, payload = this.#text): void {
    const { ledger, rejections } = this.#options;
    ledger.rejected();
    rejections.add(reason, detail, payload, rejections.keeping ? this.#place() : null);
    this.#elements++;
  }

  #newReceipt(): Receipt {
    const { ledger } = this.#options;
    return new Receipt((readings) => ledger.accepted(readings));
  }

  /** Of the element that is being worked on. */
  #place(): Place {
    this.#whole ??= { elements: 1 };
    return { index: this.#elements, message: this.#whole };
  }

  #receive(data: Buffer, unreadable: RejectionReason, arrivalMs: number): void {
    if (this.#receivePlain(data, arrivalMs)) return;
    if (!isUtf8(data)) {
      this.rejected(unreadable, "no UTF-8", data.toString("hex", 0, BINARY_PAYLOAD_BYTES));
      return;
    }
    this.#text = data.toString("utf8");
    try {
      this.#message = JSON.parse(this.#text);
    } catch (error) {
      this.rejected(unreadable, error instanceof Error ? error.message : "no JSON");
      return;
    }
    this.#options.mapping.map(this.#message, arrivalMs, this);
  }

  /** The short way of a message that holds nothing but good readings of known signals; false, and nothing done, if not. */
  #receivePlain(data: Buffer, arrivalMs: number): boolean {
    const plain = this.#options.mapping.readPlain?.(data, arrivalMs) ?? null;
    if (plain === null || !(plain.isAscii || isUtf8(data))) return false;
    const { count, names, atMs, strengths, nameStart, nameEnd } = plain;
    const signals = this.#signals;
    for (let i = 0; i < count; i++) {
      const problem = readingProblem(atMs[i] ?? 0, strengths[i] ?? 0, this.#nowMs, this.#oldestMs);
      const signal = this.#resolver.findBytes(names, nameStart[i] ?? 0, nameEnd[i] ?? 0);
      if (problem !== null || signal === undefined) return false;
      signals[i] = signal;
    }
    for (let i = 0; i < count; i++) {
      const signal = signals[i];
      if (signal !== undefined) this.#write(signal, atMs[i] ?? 0, strengths[i] ?? 0);
    }
    return true;
  }

  #write(signal: SignalRef, atMs: number, strength: number): void {
    this.#elements++;
    this.#receipt.take();
    this.#writer.write(signal, atMs, strength, this.#receipt);
  }

  #unresolved(name: string, atMs: number, strength: number, element: JSONValue): void {
    const problem = signalNameProblem(name);
    if (problem !== null) {
      this.rejected("signal_name_invalid", problem);
      return;
    }
    const { mapping, rejections } = this.#options;
    const message = this.#message;
    const receipt = this.#receipt;
    receipt.take();
    this.#resolver.wait(
      name,
      { atMs, strength, receipt },
      {
        kept: () => (rejections.keeping ? { payload: payloadOf(this.#text), place: this.#place() } : null),
        labels: () => mapping.labels(element, message),
      },
    );
    this.#elements++;
  }
}

import { isUtf8 } from "node:buffer";
import type { JSONValue } from "json-p3";
import type { RejectionReason } from "../../schemas/source.ts";
import { signalNameProblem } from "../domain/mapping/signal-name.ts";
import { oldestReadingMs, readingProblem } from "../domain/mapping/validity.ts";
import type { CompiledMapping, MappingVisitor } from "../domain/mapping/visitor.ts";
import type { Clock } from "../ports/clock.ts";
import type { BlockWriter } from "./block-writer.ts";
import { payloadOf, type RejectionLog } from "./rejection-log.ts";
import type { Resolver } from "./resolver.ts";
import type { SourceLedger } from "./source-ledger.ts";

const BINARY_PAYLOAD_BYTES = 2048;

const DETAILS: Partial<Record<RejectionReason, string>> = {
  strength_out_of_range: "the strength is outside -200 to 50 dBm",
  time_in_future: "the time is more than 5 minutes ahead",
  time_too_old: "the time is before 2000, or older than raw readings are kept (RETENTION_RAW_DAYS)",
};

export interface IntakeOptions {
  readonly mapping: CompiledMapping;
  readonly resolver: Resolver;
  readonly writer: BlockWriter;
  readonly ledger: SourceLedger;
  readonly rejections: RejectionLog;
  readonly clock: Clock;
  readonly retentionRawDays: number | null;
}

/** The way of one source's messages: text → JSON → readings → lines of blocks. Nothing a sender sends makes it throw. */
export class Intake implements MappingVisitor {
  readonly #options: IntakeOptions;
  readonly #resolver: Resolver;
  readonly #writer: BlockWriter;
  #nowMs = 0;
  #oldestMs = 0;
  #text = "";
  #message: JSONValue = null;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#resolver = options.resolver;
    this.#writer = options.writer;
  }

  /** One message as it came; `binary` says that the sender called it so. */
  receive(data: Buffer, binary: boolean): void {
    this.arrive();
    try {
      this.#receive(data, binary ? "binary_frame" : "not_json");
    } finally {
      // Between messages nothing of them is held.
      this.#message = null;
      this.#text = "";
    }
  }

  /** Marks the arrival of a message that needs no parsing; its readings follow by `reading`. */
  arrive(): void {
    const { clock, ledger, retentionRawDays } = this.#options;
    this.#nowMs = clock.now();
    this.#oldestMs = oldestReadingMs(this.#nowMs, retentionRawDays);
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

  reading(name: string, atMs: number, strength: number, element: JSONValue): void {
    const problem = readingProblem(atMs, strength, this.#nowMs, this.#oldestMs);
    if (problem !== null) {
      this.rejected(problem, DETAILS[problem] ?? problem);
      return;
    }
    const signal = this.#resolver.find(name);
    if (signal !== undefined) this.#writer.write(signal, atMs, strength, this.#options.ledger);
    else this.#unresolved(name, atMs, strength, element);
  }

  skipped(): void {
    this.#options.ledger.skipped();
  }

  rejected(reason: RejectionReason, detail: string, payload = this.#text): void {
    this.#options.ledger.rejected();
    this.#options.rejections.add(reason, detail, payload);
  }

  #receive(data: Buffer, unreadable: RejectionReason): void {
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
    this.#options.mapping.map(this.#message, this.#nowMs, this);
  }

  #unresolved(name: string, atMs: number, strength: number, element: JSONValue): void {
    const problem = signalNameProblem(name);
    if (problem !== null) {
      this.rejected("signal_name_invalid", problem);
      return;
    }
    const { mapping, rejections } = this.#options;
    const message = this.#message;
    this.#resolver.wait(
      name,
      { atMs, strength },
      {
        payload: () => (rejections.keeping ? payloadOf(this.#text) : null),
        labels: () => mapping.labels(element, message),
      },
    );
  }
}

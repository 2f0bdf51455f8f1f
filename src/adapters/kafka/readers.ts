import type { Surroundings } from "../../ports/surroundings.ts";
import { settledWithin } from "./deadline.ts";
import type { KafkaAccess } from "./options.ts";
import { Reader } from "./reader.ts";

/** Kept connected for the next who reads. */
const IDLE_MAX = 2;
const CLOSE_MAX_MS = 1_000;

/** Readers, one for each who reads: a question that waits for records keeps its connection busy. */
export class Readers {
  readonly #access: KafkaAccess;
  readonly #surroundings: Surroundings;
  readonly #all = new Set<Reader>();
  readonly #idle: Reader[] = [];
  #closed = false;

  constructor(access: KafkaAccess, surroundings: Surroundings) {
    this.#access = access;
    this.#surroundings = surroundings;
  }

  async take(): Promise<Reader> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const reader = await Reader.connect(this.#access, this.#surroundings);
    if (this.#closed) reader.discard();
    else this.#all.add(reader);
    return reader;
  }

  /** Takes back a reader that has nothing left to answer. */
  giveBack(reader: Reader): void {
    if (this.#closed || this.#idle.length >= IDLE_MAX) this.discard(reader);
    else this.#idle.push(reader);
  }

  /** For one whose last question failed or was not waited for. */
  discard(reader: Reader): void {
    this.#all.delete(reader);
    reader.discard();
  }

  async close(): Promise<void> {
    this.#closed = true;
    const closing = [...this.#all].map((reader) => reader.close());
    await settledWithin(this.#surroundings.clock, CLOSE_MAX_MS, closing);
    for (const reader of this.#all) reader.discard();
    this.#all.clear();
  }
}

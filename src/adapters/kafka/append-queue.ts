import { LogUnavailableError } from "../../ports/event-log.ts";
import type { AppendCall, Outgoing } from "./append-call.ts";
import { SendBatch } from "./send-batch.ts";

/** Calls of `append` in the order they came, until they are settled. */
export class AppendQueue {
  readonly #pendingBytesMax: number;
  #calls: AppendCall[] = [];
  /** How many records of the first call are under way. */
  #taken = 0;
  #pendingBytes = 0;

  /** `pendingBytesMax`: what may wait or be under way; beyond it calls are refused. */
  constructor(pendingBytesMax: number) {
    this.#pendingBytesMax = pendingBytesMax;
  }

  get empty(): boolean {
    return this.#first() === undefined;
  }
  /** Bytes that were pushed and are not yet settled. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  push(call: AppendCall): void {
    if (this.#pendingBytes > 0 && this.#pendingBytes + call.bytes > this.#pendingBytesMax) {
      call.fail(new LogUnavailableError("Too much waits for Kafka."));
      return;
    }
    this.#calls.push(call);
    this.#pendingBytes += call.bytes;
    const settled = () => {
      this.#pendingBytes -= call.bytes;
    };
    call.done.then(settled, settled);
  }

  /** What goes out next: all that waits, as far as one request holds it. */
  take(nameOf: (call: AppendCall) => string): SendBatch {
    const batch = new SendBatch();
    for (let record = this.#first(); record !== undefined; record = this.#first()) {
      if (!batch.add(nameOf(record.call), record)) break;
      this.#taken++;
    }
    return batch;
  }

  /** Refuses all that waits; for a call that is partly under way, what is under way decides. */
  refuse(error: Error): void {
    const kept = this.#taken > 0 ? 1 : 0;
    for (const call of this.#calls.splice(kept)) if (!call.settled) call.fail(error);
  }

  #first(): Outgoing | undefined {
    for (let call = this.#calls[0]; call !== undefined; call = this.#calls[0]) {
      const record = call.settled ? undefined : call.records[this.#taken];
      if (record !== undefined) return record;
      this.#calls.shift();
      this.#taken = 0;
    }
    return undefined;
  }
}

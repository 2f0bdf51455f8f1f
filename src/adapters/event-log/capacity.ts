import type { Logger } from "../../ports/telemetry.ts";
import { WaitingList } from "./waiting-list.ts";

/** Bounded appends are taken again when this much of the limit is in use: not at each record that is trimmed. */
const ROOM_AGAIN_AT = 0.95;

/** How much is stored, and whether readings are still taken: LOG_MAX_BYTES. */
export class Capacity {
  readonly #maxBytes: number;
  readonly #log: Logger;
  readonly #room = new WaitingList();
  #storedBytes = 0;
  #full = false;

  constructor(maxBytes: number, log: Logger) {
    this.#maxBytes = maxBytes;
    this.#log = log;
  }

  get storedBytes(): number {
    return this.#storedBytes;
  }

  hasRoom(): boolean {
    return !this.#full;
  }

  /** Whether a bounded append may go in, with so much on its way already. */
  accepts(pendingBytes: number): boolean {
    // Refusing must also close the door: who is told to wait for room must not find it open, and spin.
    if (this.#storedBytes + pendingBytes >= this.#maxBytes) this.#fill();
    return !this.#full;
  }

  /** Resolves when there is room, or when the signal aborts. */
  async whenRoom(signal: AbortSignal): Promise<void> {
    while (this.#full && !signal.aborted) await this.#room.wait(signal);
  }

  /** What the engine says is in use. */
  measured(storedBytes: number): void {
    this.#storedBytes = storedBytes;
    if (storedBytes >= this.#maxBytes) this.#fill();
    else if (storedBytes <= this.#maxBytes * ROOM_AGAIN_AT) this.#release();
  }

  /** What was appended since: an estimate, until the next measurement. */
  added(bytes: number): void {
    this.#storedBytes += bytes;
    if (this.#storedBytes >= this.#maxBytes) this.#fill();
  }

  #fill(): void {
    if (this.#full) return;
    this.#full = true;
    this.#log.warn({ storedBytes: this.#storedBytes, maxBytes: this.#maxBytes }, "log_full");
  }

  #release(): void {
    if (!this.#full) return;
    this.#full = false;
    this.#log.info({ storedBytes: this.#storedBytes, maxBytes: this.#maxBytes }, "log_has_room");
    this.#room.wake();
  }
}

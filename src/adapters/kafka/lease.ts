import type { Clock } from "../../ports/clock.ts";
import { WaitingList } from "../event-log/waiting-list.ts";
import { SESSION_MAX_MS } from "./membership.ts";

/** Ends a little before the coordinator gives the partitions of a silent member to others. */
const LEASE_MS = SESSION_MAX_MS - 1_000;

/** Whether a member may believe that its partitions are still its own: a process that was frozen may not. */
export class Lease {
  readonly #clock: Clock;
  readonly #renewed = new WaitingList();
  #askedAtMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#askedAtMs = clock.monotonic();
  }

  get expired(): boolean {
    return this.#clock.monotonic() - this.#askedAtMs > LEASE_MS;
  }

  /**
   * The coordinator has said that the member is one, asked at `askedAtMs` (monotonic): it may have answered at once, and
   * the answer may have lain in the socket while this process was frozen.
   */
  renew(askedAtMs: number): void {
    this.#askedAtMs = Math.max(this.#askedAtMs, askedAtMs);
    if (!this.expired) this.#renewed.wake();
  }

  /** Resolves when the lease holds, or when the signal aborts. */
  async holds(signal: AbortSignal): Promise<void> {
    while (this.expired && !signal.aborted) await this.#renewed.wait(signal);
  }
}

import type { Clock } from "../../ports/clock.ts";
import { WaitingList } from "../event-log/waiting-list.ts";
import { SESSION_MAX_MS } from "./membership.ts";

/** Ends a little before the coordinator gives the partitions of a silent member to others. */
const LEASE_MS = SESSION_MAX_MS - 1_000;

/** Whether a member may believe that its partitions are still its own: a process that was frozen may not. */
export class Lease {
  readonly #clock: Clock;
  readonly #renewed = new WaitingList();
  #heardAtMs: number;
  #isDoubted = false;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#heardAtMs = clock.monotonic();
  }

  get expired(): boolean {
    return this.#clock.monotonic() - this.#heardAtMs > LEASE_MS;
  }

  /**
   * The coordinator has answered a heartbeat. One answer does not end a doubt: it may have lain in the socket while the
   * process was frozen. The next was asked for after that.
   */
  heard(): void {
    if (this.expired && !this.#isDoubted) this.#isDoubted = true;
    else this.renew();
  }

  /** The coordinator has just made the member one. */
  renew(): void {
    this.#isDoubted = false;
    this.#heardAtMs = this.#clock.monotonic();
    this.#renewed.wake();
  }

  /** Resolves when the lease holds, or when the signal aborts. */
  async holds(signal: AbortSignal): Promise<void> {
    while (this.expired && !signal.aborted) await this.#renewed.wait(signal);
  }
}

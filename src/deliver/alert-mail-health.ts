import type { Clock } from "../ports/clock.ts";
import type { Health } from "../ports/worker.ts";
import type { FlushedBox } from "./alert-mail-flush.ts";

const NOWHERE = "alert e-mails wait: no serve worker has told yet where people reach the service";

/** How e-mails of alerts are, as far as this process knows. */
export class AlertMailHealth {
  readonly #clock: Clock;
  #isNowhere = false;
  readonly #limitedUntilMs = { address: 0, account: 0 };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  nowhere(isNowhere: boolean): void {
    this.#isNowhere = isNowhere;
  }

  told(flushed: readonly FlushedBox[]): void {
    for (const one of flushed)
      if (one.kind === "waits")
        this.#limitedUntilMs[one.limit] = Math.max(this.#limitedUntilMs[one.limit], one.untilMs);
  }

  /** That a limit holds is as it should be, and is said all the same. */
  now(): Health {
    const limits = [
      { what: "an address", untilMs: this.#limitedUntilMs.address, most: "20" },
      { what: "an account", untilMs: this.#limitedUntilMs.account, most: "200" },
    ];
    const now = this.#clock.now();
    const held = limits
      .filter(({ untilMs }) => untilMs > now)
      .map(({ what, most }) => `${what} has had its ${most} in an hour`);
    const limited = `alert e-mails wait, to be told together: ${held.join(", and ")}`;
    return {
      name: "alert-mail",
      state: this.#isNowhere ? "degraded" : "ok",
      detail: this.#isNowhere ? NOWHERE : held.length > 0 ? limited : null,
    };
  }
}

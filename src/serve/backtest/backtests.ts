import type { BacktestAnswer, BacktestRequest } from "../../../schemas/backtest.ts";
import type { AccountId } from "../../../schemas/common.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { ProblemError } from "../problem.ts";
import { type BacktestParts, runBacktest } from "./run-backtest.ts";

/** Backtests take time of both cores: readings that come now must not wait for many at once. */
const AT_ONCE = 2;
const RETRY_AFTER_S = "5";

/** Tries rules on the past, two at a time; a third is `rate_limited`. */
export class Backtests {
  readonly #parts: BacktestParts;
  readonly #stopping = new AbortController();
  readonly #gauge;
  #running = 0;

  constructor(parts: BacktestParts & { readonly telemetry: Telemetry }) {
    this.#parts = parts;
    this.#gauge = parts.telemetry.metrics.gauge("backtests_running", "Backtests of rules that run.");
  }

  /** Ends with the reason of `gone` when nobody waits for it any more. */
  async run(accountId: AccountId, request: BacktestRequest, gone: AbortSignal): Promise<BacktestAnswer> {
    if (this.#running >= AT_ONCE)
      throw new ProblemError(
        "rate_limited",
        `${AT_ONCE} backtests are running: try again when one has ended`,
        {
          headers: { "Retry-After": RETRY_AFTER_S },
        },
      );
    const stop = AbortSignal.any([gone, this.#stopping.signal]);
    this.#gauge.set(++this.#running);
    try {
      return await runBacktest(this.#parts, accountId, request, stop);
    } finally {
      this.#gauge.set(--this.#running);
    }
  }

  /** Requests end with a problem; whoever asked may ask another process. */
  stop(): void {
    this.#stopping.abort(new ProblemError("pipeline_unavailable", "the service is shutting down"));
  }
}

import { ENGINE } from "../domain/backoff.ts";
import { retrying } from "../domain/retry.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import { type ControlStore, ControlUnavailableError } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";
import { TimeSeriesParseError, TimeSeriesUnavailableError } from "../ports/time-series.ts";
import type { Budget } from "./budget.ts";
import type { RecordMetrics } from "./metrics.ts";

/** What the worker asks of control data. */
export type RecordControl = Pick<ControlStore, "recordProgress" | "snapshots">;

/** What every part of the worker works with. */
export interface RecordContext {
  readonly log: EventLog;
  readonly control: RecordControl;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: RecordMetrics;
  readonly budget: Budget;
  /** What fails now, by who says so; null when it works again. */
  readonly trouble: (who: string, what: string | null) => void;
}

/**
 * A parse error is among them: the lines were found valid, so the two grammars disagree. Nothing may be thrown away
 * and nothing was stored: the partition waits, its health says why, and the log keeps everything.
 */
const isTransient = (error: unknown): error is Error =>
  error instanceof TimeSeriesUnavailableError ||
  error instanceof TimeSeriesParseError ||
  error instanceof ControlUnavailableError;

/** Does `step` until the engine behind it works, however long that takes; ends early only when the signal aborts. */
export const untilDone = async <T>(
  context: RecordContext,
  who: string,
  signal: AbortSignal,
  step: () => Promise<T>,
): Promise<T> => {
  const { clock, entropy, logger, metrics, trouble } = context;
  const done = await retrying(step, {
    policy: ENGINE,
    retriable: isTransient,
    sleep: (ms, aborted) => clock.sleep(ms, aborted),
    random: () => entropy.random(),
    signal,
    failed: (error, attempt) => {
      const fault = error instanceof Error ? error.name : "unknown";
      const message = error instanceof Error ? error.message : String(error);
      metrics.retries.add(1, { fault });
      trouble(who, `${fault}: ${message}`);
      if (attempt === 0) logger.warn({ who, fault, error: message }, "record_waits_for_engine");
    },
  });
  trouble(who, null);
  return done;
};

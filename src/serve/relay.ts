import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import type { Clock } from "../ports/clock.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { Health } from "../ports/worker.ts";
import { createPositionWaiting } from "./position-waiting.ts";
import type { RelayEnds } from "./relay-copier.ts";
import { createRelayPause } from "./relay-pause.ts";
import { createTurns } from "./relay-turns.ts";

/** For the changes of other processes: those of this one nudge. */
const POLL_MS = 50;
/** Of those who do not copy, while nobody here waits to be told. */
const IDLE_POLL_MS = 500;
const REACHED_MAX_MS = 2000;

export interface RelayParts extends RelayEnds {
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface Relay {
  /** There is something new: look now. */
  nudge(): void;
  /**
   * True once the log has everything up to this position of the outbox (0: there is nothing to wait for), false when
   * it does not within `timeoutMs`, 2 s at most: then the change takes effect later. Nudges by itself.
   */
  reached(position: number, timeoutMs: number): Promise<boolean>;
  health(): Health;
  /** Finishes the batch it is at; what is left in the outbox goes on at the next start. Safe to call twice. */
  stop(): Promise<void>;
}

const measures = ({ metrics }: Telemetry) => ({
  rows: metrics.counter("relay_rows_total", "Rows of the outbox that were copied to the log."),
  failures: metrics.counter("relay_failed_total", "Attempts to copy the outbox that failed."),
  waiting: metrics.gauge("relay_waiting", "Answers that wait until their change is in the log."),
});

/**
 * Copies the outbox to the log in its order, at least once: a batch that failed, in whole or in part, is appended
 * again from its beginning, and readers go by revision. Of several processes one does it at a time.
 */
export const startRelay = (parts: RelayParts): Relay => {
  const { clock, telemetry } = parts;
  const measured = measures(telemetry);
  const waiting = createPositionWaiting(clock, measured.waiting);
  const pause = createRelayPause(clock);
  const stopping = new AbortController();
  let attempt = 0;
  const turns = createTurns(parts, (position, rows) => {
    measured.rows.add(rows);
    waiting.advance(position);
  });

  const turn = async (): Promise<void> => {
    pause.attend();
    try {
      const copied = await turns.step();
      attempt = 0;
      const isIdle = !turns.leads && waiting.count === 0;
      if (!copied && !stopping.signal.aborted) await pause.wait(isIdle ? IDLE_POLL_MS : POLL_MS);
    } catch (err) {
      measured.failures.add(1);
      telemetry.log.warn({ err, attempt }, "relay_failed");
      // No jitter: the relays are few.
      await clock.sleep(fullJitterMs(ENGINE, attempt++, 1), stopping.signal).catch(() => undefined);
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) await turn();
    await turns.stop();
  };
  const done = run();

  return {
    nudge: pause.nudge,
    reached: (position, timeoutMs) => {
      const answer = waiting.wait(position, Math.min(timeoutMs, REACHED_MAX_MS));
      pause.nudge();
      return answer;
    },
    health: () => ({
      name: "relay",
      state: attempt > 0 ? "degraded" : "ok",
      detail: attempt > 0 ? "changes wait in the outbox: see the state of event log and control data" : null,
    }),
    stop: async () => {
      stopping.abort();
      waiting.release();
      pause.nudge();
      await done;
    },
  };
};

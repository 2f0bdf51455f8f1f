import { afterAttempt, type Circuit } from "../domain/webhooks/circuit.ts";
import { explain, outcomeOf } from "../domain/webhooks/outcome.ts";
import { DISABLE_AFTER_MS, retryDelayMs } from "../domain/webhooks/schedule.ts";
import type { Sent } from "../outgoing/sending.ts";
import type { DueDelivery, MadeAttempt } from "../ports/webhooks.ts";

/** What an attempt that began at `at` (Unix ms) makes of its delivery, of the circuit and of the webhook. */
export interface Judged {
  readonly made: MadeAttempt;
  readonly circuit: Circuit;
  /** Why the webhook is to be disabled; null when it is not. */
  readonly disable: string | null;
  readonly succeeded: boolean;
}

const FAILED_LONG = `Every attempt has failed for ${DISABLE_AFTER_MS / 3_600_000} hours`;

export const judge = (
  due: DueDelivery,
  circuit: Circuit,
  sent: Sent,
  { at, now, random }: { readonly at: number; readonly now: number; readonly random: number },
): Judged => {
  const { result, durationMs, responseBody, retryAfterMs } = sent;
  const outcome = outcomeOf(result);
  const succeeded = outcome === "done";
  const after = afterAttempt(circuit, succeeded, now, random);
  const delayMs = outcome === "retry" ? retryDelayMs(due.attemptsOfRound + 1, random, retryAfterMs) : null;
  const detail = explain(result);
  const hasFailedLong = after.failingSinceMs !== null && now - after.failingSinceMs >= DISABLE_AFTER_MS;
  return {
    made: {
      deliveryId: due.id,
      number: due.attempts + 1,
      at,
      durationMs,
      status: "status" in result ? result.status : null,
      failure: "failure" in result ? result.failure : null,
      detail,
      responseBody,
      becomes: succeeded ? "delivered" : delayMs === null ? "failed" : "pending",
      nextAttemptAt: delayMs === null ? null : now + delayMs,
    },
    circuit: after,
    disable:
      outcome === "disable" ? detail : hasFailedLong ? `${FAILED_LONG}; the last one: ${detail}` : null,
    succeeded,
  };
};

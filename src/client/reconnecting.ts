import { type BackoffPolicy, fullJitterMs } from "../domain/backoff.ts";
import type { Entropy } from "../ports/clock.ts";
import { ApiError, UnreachableError } from "./failures.ts";
import type { ClientClock } from "./platform.ts";

export type ConnectionState =
  | { readonly state: "open" }
  /** `reason`: an error, or null where the far end has said good-bye. */
  | { readonly state: "lost"; readonly reason: unknown; readonly waitMs: number };

export interface FollowOptions {
  /** Ends the stream, without an error. */
  readonly signal?: AbortSignal;
  readonly onConnection?: (state: ConnectionState) => void;
}

export interface Reconnecting extends FollowOptions {
  readonly clock: ClientClock;
  readonly entropy: Entropy;
}

const POLICY: BackoffPolicy = { baseMs: 250, capMs: 10_000 };
/** A connection that held so long was well: the next failure is the first one again. */
const WELL_AFTER_MS = 10_000;

/** A refusal of what was asked stays one, however often it is asked. */
const isPassing = (error: unknown): boolean =>
  error instanceof UnreachableError ||
  (error instanceof ApiError && (error.status >= 500 || error.status === 429));

/**
 * What comes over a connection, and over the next one when it is lost, for ever. `connection` calls `opened` when it
 * stands, and picks up where the one before has ended. Throws where the very first one fails, and what waiting cannot cure.
 */
export async function* reconnecting<Item>(
  connection: (opened: () => void, signal: AbortSignal) => AsyncIterable<Item>,
  { clock, entropy, signal = new AbortController().signal, onConnection }: Reconnecting,
): AsyncGenerator<Item> {
  let hasOpened = false;
  for (let attempt = 0; !signal.aborted; attempt++) {
    let openedAt: number | null = null;
    let reason: unknown = null;
    const opened = () => {
      hasOpened = true;
      openedAt = clock.now();
      onConnection?.({ state: "open" });
    };
    try {
      yield* connection(opened, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (!hasOpened || !isPassing(error)) throw error;
      reason = error;
    }
    if (signal.aborted) return;
    if (openedAt !== null && clock.now() - openedAt >= WELL_AFTER_MS) attempt = 0;
    const askedMs = reason instanceof ApiError ? (reason.retryAfterMs ?? 0) : 0;
    const waitMs = askedMs + fullJitterMs(POLICY, attempt, entropy.random());
    onConnection?.({ state: "lost", reason, waitMs });
    await clock.sleep(waitMs, signal).catch(() => undefined);
  }
}

import { type BackoffPolicy, fullJitterMs } from "../domain/backoff.ts";
import { retryAfterMs } from "../domain/retry-after.ts";
import type { Entropy } from "../ports/clock.ts";
import { UnreachableError } from "./failures.ts";
import type { ClientClock } from "./platform.ts";

export interface Sending {
  readonly fetch: (request: Request, init?: RequestInit) => Promise<Response>;
  readonly clock: ClientClock;
  readonly entropy: Entropy;
  /** How often a request is sent again; 0: never. */
  readonly retries: number;
  /** For one answer; its body included, unless that is a stream. */
  readonly timeoutMs: number;
}

const POLICY: BackoffPolicy = { baseMs: 200, capMs: 5_000 };
/** Whoever asks to wait longer is not waited for: the caller decides. */
const RETRY_AFTER_MAX_MS = 30_000;
const IDEMPOTENCY_KEY = "Idempotency-Key";
/** Answers that another attempt may change. 409 says so of a first request that still runs, by `Retry-After`. */
const PASSING = new Set([502, 503, 504]);

/** Whether doing it twice is the same as once (RFC 9110, 9.2.1), for a POST by its key. */
const isSafe = ({ method, headers }: Request): boolean =>
  method === "GET" || method === "HEAD" || headers.has(IDEMPOTENCY_KEY);

const isStream = ({ headers }: Response): boolean =>
  headers.get("content-type")?.startsWith("text/event-stream") === true;

export const waitAskedMs = ({ headers }: Response, clock: ClientClock): number | null =>
  retryAfterMs(headers.get("retry-after") ?? undefined, clock.now());

/** Milliseconds until the next attempt; null: this answer is the last. */
const waitMs = (request: Request, response: Response, attempt: number, sending: Sending): number | null => {
  const askedMs = waitAskedMs(response, sending.clock);
  const again =
    response.status === 429 ||
    (isSafe(request) && (PASSING.has(response.status) || (response.status === 409 && askedMs !== null)));
  if (!again || (askedMs ?? 0) > RETRY_AFTER_MAX_MS) return null;
  return (askedMs ?? 0) + fullJitterMs(POLICY, attempt, sending.entropy.random());
};

const keyed = (request: Request, entropy: Entropy): void => {
  if (request.method !== "POST" || request.headers.has(IDEMPOTENCY_KEY)) return;
  const hex = Array.from(entropy.bytes(16), (byte) => byte.toString(16).padStart(2, "0"));
  request.headers.set(IDEMPOTENCY_KEY, hex.join(""));
};

/** The answer with all of its body, so that what breaks off in the middle is a failed attempt. */
const whole = async (response: Response): Promise<Response> => {
  if (isStream(response)) return response;
  const body = response.status === 204 ? null : await response.arrayBuffer();
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
};

/** One attempt: an answer, or null where nobody answered and another attempt may. */
const attempted = async (
  request: Request,
  mayRepeat: boolean,
  sending: Sending,
): Promise<Response | null> => {
  const late = new AbortController();
  const cancel = sending.clock.after(sending.timeoutMs, () =>
    late.abort(new DOMException("no answer in time", "TimeoutError")),
  );
  const signal = AbortSignal.any([request.signal, late.signal]);
  try {
    return await whole(await sending.fetch(request.clone(), { signal }));
  } catch (error) {
    request.signal.throwIfAborted();
    if (mayRepeat && isSafe(request)) return null;
    throw new UnreachableError(request.url, error);
  } finally {
    cancel();
  }
};

/**
 * Sends a request until it is answered. What may be done twice is sent again where nobody answered, or where the answer
 * says that it will pass; a refusal for haste (429) always is. A POST gets an Idempotency-Key, so that it may.
 */
export const persistentFetch =
  (sending: Sending) =>
  async (request: Request): Promise<Response> => {
    const { retries, clock, entropy } = sending;
    if (retries > 0) keyed(request, entropy);
    for (let attempt = 0; ; attempt++) {
      const response = await attempted(request, attempt < retries, sending);
      const ms =
        response === null
          ? fullJitterMs(POLICY, attempt, entropy.random())
          : waitMs(request, response, attempt, sending);
      if (response !== null && (ms === null || attempt >= retries)) return response;
      await clock.sleep(ms ?? 0, request.signal);
    }
  };

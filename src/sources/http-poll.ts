import type { HttpPollSettings } from "../../schemas/source.ts";
import { fullJitterMs, RECONNECT } from "../domain/backoff.ts";
import { PathError } from "../domain/mapping/path.ts";
import { type CursorOf, compileCursor } from "./cursor.ts";
import { type FeedPlace, type Places, placesOf } from "./feed-place.ts";
import { Gate } from "./gate.ts";
import { HttpEnd } from "./http-end.ts";
import { Poll } from "./poll.ts";
import type { ConnectionSettings, RunSource, SourceContext } from "./source.ts";

/** A feed that is asked often is not asked more often than this after a failure. */
const FAILED_DELAY_MIN_MS = 1_000;

type Prepared =
  | { readonly ok: true; readonly cursorOf: CursorOf }
  | { readonly ok: false; readonly reason: string };

const prepare = ({ url, cursor }: HttpPollSettings, settings: ConnectionSettings): Prepared => {
  const reason = HttpEnd.problem(url, settings);
  if (reason !== null) return { ok: false, reason };
  try {
    return { ok: true, cursorOf: compileCursor(cursor) };
  } catch (error) {
    if (error instanceof PathError) return { ok: false, reason: `cursor: ${error.message}` };
    throw error;
  }
};

/** How long after a failure it is tried again: later and later, and not before the far end wants it. */
const failedDelayMs = (
  { entropy }: SourceContext,
  { intervalSeconds }: HttpPollSettings,
  attempt: number,
  askedMs: number | null,
): number => {
  const leastMs = Math.min(intervalSeconds * 1000, FAILED_DELAY_MIN_MS);
  return Math.max(fullJitterMs(RECONNECT, attempt, entropy.random()), leastMs, askedMs ?? 0);
};

/** Asks until the signal aborts: then it rejects. */
const keepAsking = async (
  settings: HttpPollSettings,
  context: SourceContext,
  { poll, gate, places }: { poll: Poll; gate: Gate; places: Places },
  signal: AbortSignal,
): Promise<void> => {
  const { clock, report } = context;
  report.connecting();
  let place: FeedPlace = await places.load(signal);
  for (let failures = 0, connected = false; ; ) {
    await gate.passed(signal);
    const began = clock.monotonic();
    const outcome = await poll.ask(place, signal);
    signal.throwIfAborted();
    if (outcome.ok) {
      place = outcome.place;
      if (!connected) report.connected();
      [connected, failures] = [true, 0];
      const leftMs = settings.intervalSeconds * 1000 - (clock.monotonic() - began);
      await clock.sleep(Math.max(0, leftMs), signal);
    } else {
      const delayMs = failedDelayMs(context, settings, failures++, outcome.retryAfterMs);
      connected = false;
      report.waiting(outcome.reason, delayMs);
      await clock.sleep(delayMs, signal);
      report.reconnecting();
      report.connecting();
    }
  }
};

/** A source that is asked for its readings again and again. */
export const httpPollSource =
  (settings: HttpPollSettings): RunSource =>
  async (context, signal) => {
    const prepared = prepare(settings, context.settings);
    if (!prepared.ok) return context.report.failed(prepared.reason);
    const { url, method, cursor = null } = settings;
    const places = placesOf(context.position, url, method, cursor);
    const end = new HttpEnd(context.settings);
    const gate = new Gate(context.flow);
    const poll = new Poll({ settings, context, end, gate, cursorOf: prepared.cursorOf, saved: places.save });
    try {
      await keepAsking(settings, context, { poll, gate, places }, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      gate.close();
      await end.close();
    }
  };

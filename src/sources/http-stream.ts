import type { HttpStreamSettings } from "../../schemas/source.ts";
import { fullJitterMs, RECONNECT } from "../domain/backoff.ts";
import { durable } from "./durable.ts";
import { type FeedPlace, PLACE_CHARACTERS_MAX, type Places, placesOf } from "./feed-place.ts";
import { HttpEnd } from "./http-end.ts";
import type { RunSource, SourceContext } from "./source.ts";
import { type StreamEnd, type StreamMemory, StreamSession } from "./stream-session.ts";

/** After this long without a break, the next break starts the back-off from its beginning. */
const HEALTHY_MS = 60_000;
const SAVE_EVERY_MS = 1_000;
const RETRY_MAX_MS = 60_000;

/** Saves the id of what came last, once everything up to there is durable; at most once a second. */
const savingPlaces = (
  { clock, intake, fault }: SourceContext,
  places: Places,
  memory: StreamMemory,
  signal: AbortSignal,
) => {
  let saved = memory.lastEventId;
  let task: Promise<void> | null = null;
  const save = async () => {
    const { lastEventId } = memory;
    if (lastEventId === saved || (lastEventId?.length ?? 0) > PLACE_CHARACTERS_MAX) return;
    try {
      await durable(clock, intake.cut(), signal);
      places.save(lastEventId === undefined ? {} : { lastEventId });
      saved = lastEventId;
    } catch (error) {
      if (!signal.aborted) fault(error, "stream_place");
    }
  };
  const stop = clock.every(SAVE_EVERY_MS, () => {
    task ??= save().finally(() => {
      task = null;
    });
  });
  return async () => {
    stop();
    await task;
    await save();
  };
};

const delayAfter = ({ entropy }: SourceContext, attempt: number, end: StreamEnd, memory: StreamMemory) =>
  Math.max(
    fullJitterMs(RECONNECT, attempt, entropy.random()),
    end.askedMs,
    Math.min(memory.retryMs, RETRY_MAX_MS),
  );

/** A source that is connected to and goes on answering, and connected to again whenever it breaks. */
export const httpStreamSource =
  (settings: HttpStreamSettings): RunSource =>
  async (context, signal) => {
    const { clock, report } = context;
    const problem = HttpEnd.problem(settings.url, context.settings);
    if (problem !== null) return report.failed(problem);
    const places = placesOf(context.position, settings.url);
    const end = new HttpEnd(context.settings);
    report.connecting();
    const loaded = await places.load(signal).catch((error: unknown): FeedPlace => {
      if (!signal.aborted) throw error;
      return {};
    });
    const memory: StreamMemory = { lastEventId: loaded.lastEventId, retryMs: 0 };
    const stopSaving = savingPlaces(context, places, memory, signal);
    try {
      for (let attempt = 0; ; attempt++) {
        await context.flow.ours(signal);
        if (signal.aborted) break;
        report.connecting();
        const ended = await new StreamSession({ settings, context, end, memory }).run(signal);
        if (signal.aborted) break;
        if (ended.healthyMs >= HEALTHY_MS) attempt = 0;
        const delayMs = delayAfter(context, attempt, ended, memory);
        report.waiting(ended.reason, delayMs);
        await clock.sleep(delayMs, signal).catch(() => undefined);
        if (!signal.aborted) report.reconnecting();
      }
    } finally {
      await stopSaving();
      await end.close();
    }
  };

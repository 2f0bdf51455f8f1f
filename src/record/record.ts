import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import type { Health, RunningWorker } from "../ports/worker.ts";
import { Budget } from "./budget.ts";
import type { RecordContext, RecordControl } from "./context.ts";
import { eventsContent } from "./events.ts";
import { RecordGroup } from "./group.ts";
import { recordMetrics } from "./metrics.ts";
import { readingsContent } from "./readings.ts";
import { trimLog, trimPace } from "./retention.ts";
import { RECORD_DEFAULTS, type RecordSettings } from "./settings.ts";

const LAG_EVERY_MS = 1_000;

export interface RecordOptions extends Surroundings {
  readonly log: EventLog;
  readonly control: RecordControl;
  readonly timeSeries: TimeSeries;
  readonly settings: Partial<RecordSettings>;
}

/** Trims now and then, one run at a time; a failed one is told and tried again at the next turn. */
const startTrimming = (context: RecordContext, settings: RecordSettings) => {
  const isDue = trimPace(context, settings);
  let running: Promise<void> | null = null;
  const run = async () => {
    try {
      await trimLog(context, settings);
      context.trouble("trim", null);
    } catch (error) {
      context.trouble("trim", String(error));
      context.logger.warn({ error: String(error) }, "record_trim_failed");
    } finally {
      running = null;
    }
  };
  const cancel = context.clock.every(settings.trimWhenFullEveryMs, () => {
    if (running === null && isDue()) running = run();
  });
  return async () => {
    cancel();
    await running;
  };
};

/** What waits for an engine says so itself; what was not expected, the group's member says. */
const healthOf = (
  waiting: ReadonlyMap<string, string>,
  groups: readonly Pick<RecordGroup<unknown>, "trouble">[],
): Health => {
  const troubles = [
    ...[...waiting].map(([who, what]) => `${who}: ${what}`),
    ...groups.flatMap((group) => group.trouble() ?? []),
  ];
  return troubles.length === 0
    ? { name: "record", state: "ok", detail: null }
    : { name: "record", state: "degraded", detail: troubles.join("; ") };
};

const contextOf = (options: RecordOptions, settings: RecordSettings, troubles: Map<string, string>) => {
  const metrics = recordMetrics(options.telemetry.metrics);
  return {
    ...options,
    metrics,
    logger: options.telemetry.log.child({ worker: "record" }),
    budget: new Budget(settings.bufferBytes, (bytes) => metrics.bufferBytes.set(bytes)),
    trouble: (who: string, what: string | null) => {
      if (what === null) troubles.delete(who);
      else troubles.set(who, what);
    },
  } satisfies RecordContext;
};

/**
 * Copies topics `readings` and `events` into the time series exactly once, and trims the log behind all who read it.
 * While an engine is away it waits for it: the log holds what came meanwhile.
 */
export const startRecord = async (options: RecordOptions): Promise<RunningWorker> => {
  const settings = { ...RECORD_DEFAULTS, ...options.settings };
  const troubles = new Map<string, string>();
  const context = contextOf(options, settings, troubles);
  const { timeSeries, clock } = options;
  const groups = [
    new RecordGroup(context, readingsContent(timeSeries, context.metrics, settings)),
    new RecordGroup(context, eventsContent(timeSeries, context.metrics, settings, context.logger)),
  ];
  const stopGroups = () => Promise.all(groups.map((group) => group.stop()));
  try {
    await Promise.all(groups.map((group) => group.start()));
  } catch (error) {
    await stopGroups();
    throw error;
  }
  const stopLag = clock.every(LAG_EVERY_MS, () =>
    context.metrics.lag.replace(groups.flatMap((group) => group.lag())),
  );
  const stopTrim = settings.trim ? startTrimming(context, settings) : async () => undefined;
  const stop = async () => {
    stopLag();
    await stopTrim();
    await stopGroups();
  };
  let stopped: Promise<void> | null = null;
  return {
    name: "record",
    health: () => [healthOf(troubles, groups)],
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
};

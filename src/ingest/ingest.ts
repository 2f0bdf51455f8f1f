import { BackPressure } from "../intake/back-pressure.ts";
import { BlockAppender } from "../intake/block-appender.ts";
import { BlockWriter } from "../intake/block-writer.ts";
import { DeletionWatch } from "../intake/deletion-watch.ts";
import { FlowAnnouncer } from "../intake/flow-announcer.ts";
import { ingestMetrics } from "../intake/metrics.ts";
import { SignalCache } from "../intake/signal-cache.ts";
import { StatusSaver, type StatusSaverOptions } from "../intake/status-saver.ts";
import type { ControlStore } from "../ports/control-store.ts";
import { type EventLog, GROUPS, type GroupMember } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Health, RunningWorker } from "../ports/worker.ts";
import type { IngestContext } from "./context.ts";
import type { IngestSettings } from "./settings.ts";
import { SourceClaims } from "./source-claims.ts";
import { SourceEvents } from "./source-events.ts";
import { stateGauges } from "./state-gauges.ts";
import { SourceSupervisor } from "./supervisor.ts";

/** What a stop waits for the log before it gives up: what is not durable then was never accepted. */
const DRAIN_TIMEOUT_MS = 4_000;

export interface IngestOptions extends Surroundings {
  readonly log: EventLog;
  readonly control: Pick<ControlStore, "signals" | "sources">;
  readonly settings: IngestSettings;
}

const savedBy = (
  claims: SourceClaims,
  { sources }: IngestOptions["control"],
): StatusSaverOptions["sources"] => ({
  saveStatus: (id, status) => claims.saveStatus(id, status),
  addRejections: (id, rejections) => sources.addRejections(id, rejections),
});

const build = ({ log, control, clock, entropy, telemetry, settings }: IngestOptions) => {
  const logger = telemetry.log.child({ worker: "ingest" });
  const metrics = ingestMetrics(telemetry.metrics);
  const partitions = log.partitions("readings");
  const pressure = new BackPressure(settings.inflightBytesMax);
  const writer = new BlockWriter({ partitions, clock, pressure });
  const cache = new SignalCache(settings.resolvedNamesMax, entropy);
  const shared = { log, clock, entropy, logger, metrics };
  const appender = new BlockAppender({ ...shared, writer, pressure });
  const tick = () => stateGauges(metrics, pressure, saver.ledgers());
  const claims = new SourceClaims({ ...shared, sources: control.sources });
  const saver = new StatusSaver({ sources: savedBy(claims, control), clock, logger, tick });
  const context: IngestContext = {
    ...shared,
    ...{ settings, partitions, pressure, writer, cache, claims, saver },
    signals: control.signals,
    sources: control.sources,
    announcer: new FlowAnnouncer(shared),
    events: new SourceEvents(shared),
  };
  return { context, appender, watch: new DeletionWatch({ ...shared, cache }) };
};
type Built = ReturnType<typeof build>;

/** In the order of the data: no more readings, then no more lines, then what is to be said about it. */
const drain = async ({ context, appender, watch }: Built): Promise<void> => {
  const deadline = new AbortController();
  const cancel = context.clock.after(DRAIN_TIMEOUT_MS, () => deadline.abort(new Error("drain timed out")));
  await appender.stop(deadline.signal);
  await Promise.all([context.announcer.stop(deadline.signal), context.events.stop(deadline.signal)]);
  await context.saver.stop();
  await watch.stop();
  cancel();
};

const healthOf = (pressure: BackPressure, member: GroupMember): Health => {
  const reason = member.trouble() ?? pressure.reason;
  return { name: "ingest", state: reason === null ? "ok" : "degraded", detail: reason };
};

/**
 * Runs the sources that topic `sources` assigns to this process and carries their readings to topic `readings`.
 * Rejects when the log cannot be joined.
 */
export const startIngest = async (options: IngestOptions): Promise<RunningWorker> => {
  const built = build(options);
  const { context } = built;
  let stopping: Promise<void> | null = null;
  const consuming = options.log.consume({
    group: GROUPS.ingest,
    topic: "sources",
    assigned: async (assignment) => new SourceSupervisor(context, assignment, () => stopping !== null),
  });
  const member = await consuming.catch(async (error) => {
    await drain(built);
    throw error;
  });
  const stop = async () => {
    await member.stop();
    await drain(built);
  };
  return {
    name: "ingest",
    health: () => [healthOf(context.pressure, member)],
    stop: () => {
      stopping ??= Promise.resolve().then(stop);
      return stopping;
    },
  };
};

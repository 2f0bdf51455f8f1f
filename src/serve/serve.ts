import type { Clock, Entropy } from "../ports/clock.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import type { Health, RunningWorker } from "../ports/worker.ts";
import { type App, createApp } from "./app.ts";
import { authenticate } from "./authentication.ts";
import { answerErrors } from "./errors.ts";
import { startEventFeed } from "./event-feed.ts";
import { requireHttps } from "./https-only.ts";
import { readJsonBodies } from "./json-body.ts";
import { knownKeys } from "./known-keys.ts";
import { LiveScales } from "./live-scales.ts";
import { seedLiveValues } from "./live-seed.ts";
import { startLiveTail } from "./live-tail.ts";
import { LiveValues } from "./live-values.ts";
import type { Parts } from "./parts.ts";
import { Probes } from "./probes.ts";
import { startRelay } from "./relay.ts";
import { requestIds } from "./request-ids.ts";
import { traceRequests } from "./request-trace.ts";
import { addRoutes } from "./routes/all.ts";
import { limitsOf, type ServeSettings } from "./settings.ts";
import { settler } from "./settle.ts";
import { StreamHub } from "./stream/stream-hub.ts";
import { StreamTickets } from "./stream/stream-tickets.ts";

export interface ServeOptions {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly timeSeries: TimeSeries;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly telemetry: Telemetry;
  readonly settings: ServeSettings;
  /** Every other part of the process, for `GET /health/ready`. */
  readonly health: () => Health[];
}

const buildApp = async (parts: Parts): Promise<App> => {
  const { settings, limits, clock, entropy, telemetry } = parts;
  const app = await createApp({ settings, limits, requestId: requestIds(clock, entropy) });
  traceRequests(app, clock, telemetry);
  answerErrors(app, telemetry.log);
  if (settings.trustProxy) requireHttps(app);
  authenticate(app, parts.keys, settings.trustProxy);
  readJsonBodies(app);
  addRoutes(app, parts);
  return app;
};

/** Each part once, by its name: the caller's list may hold ours already. */
const together = (others: readonly Health[], own: readonly Health[]): Health[] => [
  ...new Map([...others, ...own].map((part) => [part.name, part])).values(),
];

/** Ends connections that are still busy when `timeoutMs` have passed. */
const closeApp = async (app: App, clock: Clock, timeoutMs: number): Promise<void> => {
  const cancel = clock.after(timeoutMs, () => app.server.closeAllConnections());
  await app.close();
  cancel();
};

/** The API, the live feed and the relay of changes, on one address. Resolves when it takes requests. */
export const startServe = async (options: ServeOptions): Promise<RunningWorker & { url: string }> => {
  const { log, control, clock, entropy, telemetry, settings } = options;
  const limits = limitsOf(settings);
  const live = new LiveValues();
  const scales = new LiveScales(live, control.signals, telemetry.log);
  await seedLiveValues(control.snapshots, live);
  const feed = await startEventFeed({ ...options, limits });
  feed.listen((events) => scales.learn(events));
  const probes = new Probes({ log, clock, entropy, timeoutMs: limits.probeTimeoutMs });
  const liveTail = startLiveTail({ log, clock, entropy, telemetry, live, probes });
  const relay = await startRelay({ control, log, clock, telemetry });
  const hub = new StreamHub({ control, feed, live, scales, clock, limits }, telemetry);
  const own = () => [...feed.health(), liveTail.health(), relay.health()].flat();

  const app = await buildApp({
    ...options,
    limits,
    keys: knownKeys(control.apiKeys, clock),
    settle: settler(relay, limits.settleTimeoutMs),
    live,
    scales,
    feed,
    probes,
    hub,
    tickets: new StreamTickets(clock, entropy),
    health: () => together(options.health(), own()),
  });
  let stopped: Promise<void> | null = null;
  const stop = async () => {
    await Promise.all([hub.stop(), closeApp(app, clock, limits.stopTimeoutMs)]);
    probes.stop();
    await Promise.all([relay.stop(), liveTail.stop(), feed.stop()]);
    await scales.stop();
  };
  const running = {
    name: "serve" as const,
    health: own,
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
  try {
    const url = await app.listen({ host: settings.host, port: settings.port });
    return { ...running, url };
  } catch (error) {
    await running.stop();
    throw error;
  }
};

import { adoptLater } from "../domain/adopt-later.ts";
import { Reporter } from "../intake/report.ts";
import { createWebhookSender } from "../outgoing/webhook-sender.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Mailbox } from "../ports/mail.ts";
import type { OutsideProviders } from "../ports/outside-providers.ts";
import type { Passwords } from "../ports/passwords.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { TimeSeries } from "../ports/time-series.ts";
import type { Health, RunningWorker } from "../ports/worker.ts";
import { createAnalyzer } from "./analysis/analyzer.ts";
import { Backtests } from "./backtest/backtests.ts";
import { buildApp, closeApp } from "./build-app.ts";
import { doerOf } from "./doer.ts";
import { startEventFeed } from "./event-feed.ts";
import { idempotent } from "./idempotency.ts";
import { LiveScales } from "./live-scales.ts";
import { seedLiveValues } from "./live-seed.ts";
import { startLiveTail } from "./live-tail.ts";
import { LiveValues } from "./live-values.ts";
import { Probes } from "./probes.ts";
import { startPushes } from "./push/start-pushes.ts";
import { Rates } from "./rates.ts";
import { RejectionRetry } from "./rejection-retry.ts";
import { startRelay } from "./relay.ts";
import { limitsOf, type ServeSettings } from "./settings.ts";
import { settler } from "./settle.ts";
import { startCallers } from "./start-callers.ts";
import { EventStreams } from "./stream/event-streams.ts";
import { StreamHub } from "./stream/stream-hub.ts";
import { StreamPlaces } from "./stream/stream-places.ts";
import { StreamTickets } from "./stream/stream-tickets.ts";
import { SourceTrials } from "./trial/source-trials.ts";
import { WebhookTrials } from "./webhooks/webhook-trials.ts";

export interface ServeOptions extends Surroundings {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly timeSeries: TimeSeries;
  readonly settings: ServeSettings;
  /** Unless given, e-mails are sent, and nobody may look at them. */
  readonly mailbox?: Mailbox | null;
  readonly passwords: Passwords;
  /** Who else may vouch for people; nobody unless given. */
  readonly outside?: OutsideProviders;
  /** Every other part of the process, for `GET /health/ready`. */
  readonly health: () => Health[];
}

/** Each part once, by its name: the caller's list may hold ours already. */
const together = (others: readonly Health[], own: readonly Health[]): Health[] => [
  ...new Map([...others, ...own].map((part) => [part.name, part])).values(),
];

/** Starts every part; each leaves on `stack` how it is stopped, and they stop in reverse order. */
const start = async (options: ServeOptions, stack: AsyncDisposableStack) => {
  const { log, control, clock, entropy, telemetry, settings } = options;
  const limits = limitsOf(settings);
  const live = new LiveValues();
  // The time series looks for what the feed begins with while newest values are read here.
  const feeding = adoptLater(stack, startEventFeed({ ...options, limits }), (it) => it.stop());
  await seedLiveValues(control.snapshots, log.logId, live, telemetry.log);
  const scales = stack.adopt(new LiveScales(live, control.signals, telemetry.log), (it) => it.stop());
  const feed = await feeding;
  feed.listen((events) => scales.learn(events));
  const probes = new Probes({ log, clock, entropy, timeoutMs: limits.probeTimeoutMs });
  const { snapshots } = control;
  const tailing = startLiveTail({ log, clock, entropy, telemetry, snapshots, live, probes });
  const liveTail = stack.adopt(tailing, (it) => it.stop());
  const relay = stack.adopt(await startRelay({ control, log, clock, telemetry }), (it) => it.stop());
  const { unknown, callers, keyWatch, people, oauth } = await startCallers(options, stack);
  const places = new StreamPlaces(limits.streamClients);
  const streaming = { control, callers, keyWatch, places, feed, live, scales, clock, limits };
  const hub = new StreamHub(streaming, telemetry);
  const eventStreams = new EventStreams(streaming, telemetry);
  const health = () => [...feed.health(), liveTail.health(), relay.health()].flat();
  const settling = settler(relay, limits.settleTimeoutMs);
  const { intake, pushes } = stack.adopt(startPushes(options), (it) => it.stop());
  const rates = stack.adopt(new Rates(log, clock, telemetry), (it) => it.stop());
  const trials = new SourceTrials(options);
  const { allowPrivate = false } = settings.webhooks ?? {};
  const backtests = new Backtests(options);
  const sender = createWebhookSender({ clock, allowPrivate });
  const webhookTrials = new WebhookTrials({ sender, clock, entropy });
  const { mailbox = null } = options;
  const app = await buildApp({
    ...options,
    mailbox,
    access: people.access,
    people: people.pages,
    by: (request) => control.by(doerOf(request)),
    oauth,
    ...streaming,
    ...settling,
    ...idempotent({ control, settled: settling.settled }),
    intake,
    pushes,
    trials,
    webhookTrials,
    rejections: new RejectionRetry({ intake, control, clock }),
    reporter: new Reporter(intake, clock),
    probes,
    rates,
    analyze: createAnalyzer({ ...options, feed }),
    backtests,
    hub,
    eventStreams,
    tickets: new StreamTickets(control.tickets, clock, entropy, unknown),
    health: () => together(options.health(), health()),
  });
  stack.defer(async () => {
    // The evaluator has stopped before us: who waits for its answer need not wait on.
    probes.stop();
    backtests.stop();
    await Promise.all([
      trials.stop(),
      webhookTrials.stop(),
      hub.stop(),
      eventStreams.stop(),
      closeApp(app, clock, limits.stopTimeoutMs),
    ]);
  });
  const address = await app.listen({ host: settings.host, port: settings.port });
  const url = settings.tls === undefined ? address : address.replace(/^http:/, "https:");
  await people.reachedAt(url);
  return { url, health };
};

/** The API, the live feed and the relay of changes, on one address. Resolves when it takes requests. */
export const startServe = async (options: ServeOptions): Promise<RunningWorker & { url: string }> => {
  const stack = new AsyncDisposableStack();
  try {
    const { url, health } = await start(options, stack);
    let stopped: Promise<void> | null = null;
    const stop = () => {
      stopped ??= stack.disposeAsync();
      return stopped;
    };
    return { name: "serve", url, health, stop };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
};

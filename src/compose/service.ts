import { fileURLToPath } from "node:url";
import packageFile from "../../package.json" with { type: "json" };
import { openIdProviders } from "../adapters/openid/providers.ts";
import { argon2Passwords } from "../adapters/system/argon2.ts";
import type { Config, Role } from "../config/config.ts";
import { startDeliver } from "../deliver/deliver.ts";
import { adoptLater } from "../domain/adopt-later.ts";
import { createWebhookSender } from "../outgoing/webhook-sender.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Health, RunningWorker } from "../ports/worker.ts";
import { startServe } from "../serve/serve.ts";
import type { ServeSettings } from "../serve/settings.ts";
import { startStatusApp } from "../serve/status-app.ts";
import type { ProcessEngines } from "./engines.ts";
import { NO_MAIL, type OpenMail } from "./mail.ts";
import { ingestSettings, PIPELINE, type PipelineWorker, programOf } from "./pipeline.ts";
import type { WorkerThreads } from "./threads/worker-threads.ts";

export const VERSION = packageFile.version;

/** In the order of their start: what others send to is there before them, and stops after them. */
export const WORKERS = ["serve", "deliver", ...PIPELINE] as const;

export interface Service {
  readonly url: string;
  /** Stops the workers in reverse order of their start; each drains before the next one stops. */
  stop(): Promise<void>;
}

const serveSettings = (config: Config): ServeSettings => ({
  host: config.HOST,
  port: config.PORT,
  trustProxy: config.TRUST_PROXY,
  version: VERSION,
  dashboard: fileURLToPath(new URL("../dashboard/dist", import.meta.url)),
  rateLimit: { requests: config.RATE_LIMIT_REQUESTS, seconds: config.RATE_LIMIT_SECONDS },
  tls: config.tls,
  publicUrl: config.PUBLIC_URL,
  intake: ingestSettings(config),
  webhooks: { allowPrivate: config.WEBHOOK_ALLOW_PRIVATE, historyDays: config.WEBHOOK_HISTORY_DAYS },
});

const deliverSettings = ({ engines, WEBHOOK_HISTORY_DAYS: historyDays, AUDIT_DAYS: auditDays }: Config) => ({
  historyDays,
  auditDays,
  // Control data in a data directory is one process's: the one before it is dead.
  ...(engines.postgres === null ? { owner: "the-only-process" } : {}),
});

/** What is there and what is still to come, for `GET /health/ready`. */
const healthOf = (
  engines: ProcessEngines,
  wanted: readonly RunningWorker["name"][],
  running: readonly RunningWorker[],
): Health[] => {
  const missing = wanted.filter((name) => !running.some((worker) => worker.name === name));
  return [
    engines.log.health(),
    engines.control.health(),
    ...(engines.timeSeries === null ? [] : [engines.timeSeries.health()]),
    ...running.flatMap((worker) => worker.health()),
    ...missing.map(
      (name): Health => ({ name, state: "down", detail: "not running: the service starts or stops" }),
    ),
  ];
};

/** What else a process may have. */
interface Extras {
  /** For the workers of the pipeline; null: they run in the main thread, as all others. */
  readonly threads: WorkerThreads | null;
  readonly mail: OpenMail;
}

/** How each worker is started; `health` tells of the whole process. */
const starters = (
  engines: ProcessEngines,
  config: Config,
  surroundings: Surroundings,
  { threads, mail: { mailer, mailbox } }: Extras,
  health: () => Health[],
) => {
  const { log, control, timeSeries } = engines;
  const shared = { log, control, ...surroundings };
  const sender = () =>
    createWebhookSender({ clock: surroundings.clock, allowPrivate: config.WEBHOOK_ALLOW_PRIVATE });
  const pipeline = (name: PipelineWorker) => async () =>
    threads === null
      ? (await programOf(name))(engines, config, surroundings)
      : threads.start(name, engines, config, surroundings);
  return {
    serve: () => {
      if (timeSeries === null) throw new Error("serve was started without a time series");
      return startServe({
        ...shared,
        timeSeries,
        mailbox,
        passwords: argon2Passwords(surroundings.entropy),
        outside: openIdProviders(config.outside, surroundings),
        settings: serveSettings(config),
        health,
      });
    },
    deliver: () => startDeliver({ ...shared, sender: sender(), mailer, ...deliverSettings(config) }),
    record: pipeline("record"),
    evaluate: pipeline("evaluate"),
    ingest: pipeline("ingest"),
  } satisfies Record<RunningWorker["name"], () => Promise<RunningWorker>>;
};

/**
 * Starts the workers of `role` on opened engines, those of the pipeline in threads if there are any. Where serve is
 * not among them, its address answers only how the process is. When one cannot start, those that could are stopped again.
 */
export const startService = async (
  engines: ProcessEngines,
  config: Config,
  surroundings: Surroundings,
  role: Role = "all",
  { threads = null, mail = NO_MAIL }: Partial<Extras> = {},
): Promise<Service> => {
  const wanted = role === "all" ? WORKERS : [role];
  const stack = new AsyncDisposableStack();
  const running: RunningWorker[] = [];
  const health = () => healthOf(engines, wanted, running);
  const start = starters(engines, config, surroundings, { threads, mail }, health);
  const add = <Worker extends RunningWorker>(worker: Worker): Worker => {
    running.push(worker);
    stack.defer(async () => {
      await worker.stop();
      running.splice(running.indexOf(worker), 1);
    });
    return worker;
  };
  try {
    // Of many signals evaluate and serve each take seconds to take up what they knew, and need nothing of each other.
    const evaluating = wanted.includes("evaluate")
      ? adoptLater(stack, start.evaluate(), (worker) => worker.stop())
      : null;
    const { url } = wanted.includes("serve")
      ? add(await start.serve())
      : stack.adopt(
          await startStatusApp({ ...surroundings, settings: serveSettings(config), health }),
          (app) => app.stop(),
        );
    for (const name of wanted) {
      if (name === "evaluate" && evaluating !== null) add(await evaluating);
      else if (name !== "serve") add(await start[name]());
    }
    return { url, stop: () => stack.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
};

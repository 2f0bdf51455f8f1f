import { onTestFinished } from "vitest";
import { type AccountId, EventId, type WebhookId } from "../../schemas/common.ts";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { Delivery, WebhookCreate } from "../../schemas/webhook.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { type DeliverOptions, startDeliver } from "../../src/deliver/deliver.ts";
import { ulid } from "../../src/domain/ids.ts";
import { eventRecord } from "../../src/domain/records.ts";
import { createWebhookSender } from "../../src/outgoing/webhook-sender.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { StoredWebhook } from "../../src/ports/webhooks.ts";
import type { Health, RunningWorker } from "../../src/ports/worker.ts";
import { deliveryAnswer } from "../../src/serve/webhooks/answers.ts";
import { ManualClock } from "./clock.ts";
import { temporaryDirectory } from "./directory.ts";
import { openTestControl } from "./engines.ts";
import { openTestLog } from "./lmdb-log.ts";
import { signalId } from "./partition.ts";
import { testTelemetry } from "./telemetry.ts";
import { until } from "./until.ts";

const PASS_MS = 10;
/** Where a look takes long. */
const PASS_MAX_MS = 50;

/** An event of the nth signal, with an id of its own. */
export const anEvent = (n: number): SignalServiceEvent => ({
  event: "signal.failed",
  id: EventId.parse(`evt_${ulid(1_767_225_600_000 + n, systemEntropy.bytes(10))}`),
  type: "signal.failed",
  createdAt: new Date(1_767_225_600_000 + n).toISOString(),
  apiVersion: "v1",
  sequence: 1,
  data: { reasons: [{ kind: "threshold", since: "2026-01-01T00:00:00.000Z", value: 0.1 }] },
});

/** Deliver workers on real engines, to whom time passes only as the test says. */
export class Delivering {
  readonly clock: ManualClock;
  readonly control: ControlStore;
  readonly log: EventLog;
  readonly account: AccountId;
  readonly telemetry = testTelemetry();
  readonly #workers: RunningWorker[] = [];
  #signals = 0;

  private constructor(clock: ManualClock, control: ControlStore, log: EventLog, account: AccountId) {
    this.clock = clock;
    this.control = control;
    this.log = log;
    this.account = account;
  }

  static async open(clock = new ManualClock(), given?: ControlStore): Promise<Delivering> {
    const control = given ?? (await openTestControl(clock));
    const log = await openTestLog({ directory: await temporaryDirectory(), partitions: { readings: 1 } });
    onTestFinished(() => log.close());
    return new Delivering(clock, control, log, (await control.accounts.first()).id);
  }

  /** Stopped, while time passes, by what it gives, or when the test is over. */
  async start(options: Partial<DeliverOptions> = {}): Promise<() => Promise<void>> {
    const { clock, control, log, telemetry } = this;
    const sender = createWebhookSender({ clock, allowPrivate: true });
    const parts = { clock, control, log, telemetry, entropy: systemEntropy, sender, ...options };
    const worker = await startDeliver(parts);
    this.#workers.push(worker);
    let stopped: Promise<void> | null = null;
    const stop = async () => {
      let isStopped = false;
      stopped ??= worker.stop();
      void stopped.finally(() => {
        isStopped = true;
      });
      await this.passing("the worker to stop", () => isStopped);
      await stopped;
    };
    onTestFinished(stop);
    return stop;
  }

  /** Of every worker that was started. */
  health(): Health[] {
    return this.#workers.flatMap((worker) => worker.health());
  }

  async subscribe(url: string, fields: object = {}): Promise<StoredWebhook> {
    const input = WebhookCreate.parse({ url, events: ["signal.failed"], ...fields });
    const made = await this.control.webhooks.create(this.account, input);
    if (!made.ok) throw new Error(made.reason);
    return made.value;
  }

  /** So many events, each of a signal of its own. */
  async happen(count = 1): Promise<void> {
    const records = Array.from({ length: count }, () => {
      const n = this.#signals++;
      return eventRecord({ accountId: this.account, signalId: signalId(n), event: anEvent(n) });
    });
    await this.log.append("events", records);
  }

  /** One more event, of the signal that the last one was of. */
  async happenAgain(): Promise<void> {
    const n = this.#signals - 1;
    const record = eventRecord({ accountId: this.account, signalId: signalId(n), event: anEvent(n) });
    await this.log.append("events", [record]);
  }

  /** What the API shows, oldest first. */
  async deliveries(id: WebhookId): Promise<Delivery[]> {
    const page = await this.control.deliveries.list(this.account, id, { limit: 500 });
    return (page?.items ?? []).map((stored) => Delivery.parse(deliveryAnswer(stored))).reverse();
  }

  /** Lets time pass, about as fast as it does, until it is so. */
  passing<T>(
    what: string,
    probe: () => T | false | null | undefined | Promise<T | false | null | undefined>,
  ) {
    let lookedAt = performance.now();
    return until(what, async () => {
      const found = await probe();
      const tookMs = performance.now() - lookedAt;
      lookedAt += tookMs;
      if (!found) this.clock.advance(Math.min(PASS_MAX_MS, Math.max(PASS_MS, Math.floor(tookMs))));
      return found;
    });
  }
}

import { z } from "zod";
import { Alert, AlertsAnswer } from "../../schemas/alert.ts";
import { EventsAnswer, type SignalServiceEvent } from "../../schemas/event.ts";
import type { Signal } from "../../schemas/signal.ts";
import { SignalsAnswer } from "../../schemas/signal.ts";
import { CreatedWebhook } from "../../schemas/webhook.ts";
import { type AlertReceiver, startAlertReceiver } from "./alert-receiver.ts";
import type { Api } from "./api.ts";
import { temporaryDirectory } from "./directory.ts";
import { LineServer } from "./line-server.ts";
import { startService } from "./service.ts";
import { newApiKey, type Service } from "./service-process.ts";
import { until } from "./until.ts";

const WithId = z.looseObject({ id: z.string() });
const HEARD = ["signal.failed", "signal.updated", "alert.firing", "alert.resolved", "alert.acknowledged"];
const LADDER = [
  { severity: "warning", value: -75 },
  { severity: "critical", value: -90 },
];
/** Nothing but the rule fails a signal. */
const SOURCE = { type: "websocket", name: "mast", defaults: { threshold: 0, noDataAfterSeconds: null } };

type Started = Readonly<{ service: Service; api: Api }>;
interface Parts {
  readonly receiver: AlertReceiver;
  readonly webhookId: string;
  readonly ruleId: string;
  readonly server: LineServer;
  readonly start: () => Promise<Started>;
}

/** A service in a process of its own, a WebSocket that feeds it, a rule with levels, and a webhook that hears of its alerts. */
export class Mast {
  readonly receiver: AlertReceiver;
  readonly webhookId: string;
  readonly ruleId: string;
  readonly #server: LineServer;
  readonly #start: () => Promise<Started>;
  #started: Started;
  #sent = 0;

  private constructor({ receiver, webhookId, ruleId, server, start }: Parts, started: Started) {
    this.receiver = receiver;
    this.webhookId = webhookId;
    this.ruleId = ruleId;
    this.#server = server;
    this.#start = start;
    this.#started = started;
  }

  /** `readings`: what `send` will send, one after the other: the signal's name, and dBm. */
  static async start(readings: readonly (readonly [name: string, dbm: number])[]): Promise<Mast> {
    const environment = { DEMO: "false", WEBHOOK_ALLOW_PRIVATE: "true" };
    const options = { dataDirectory: await temporaryDirectory(), apiKey: newApiKey(), environment };
    const server = await LineServer.start(readings.map(([id, rssi]) => JSON.stringify({ id, rssi })));
    const start = () => startService(options);
    const started = await start();
    const { api } = started;
    let secret = "";
    const receiver = await startAlertReceiver(() => secret);
    const hook = { url: receiver.url, events: HEARD };
    const webhook = await api.expect(CreatedWebhook, "POST", "/v1/integrations/webhooks", hook);
    secret = webhook.secret;
    const rule = { name: "weak", condition: { operator: "below" }, levels: LADDER };
    const { id: ruleId } = await api.expect(WithId, "POST", "/v1/alerts/rules", rule);
    await api.expect(WithId, "POST", "/v1/integrations/sources", { ...SOURCE, url: server.url });
    return new Mast({ receiver, webhookId: webhook.id, ruleId, server, start }, started);
  }

  get api(): Api {
    return this.#started.api;
  }

  /** The next readings. */
  send(count = 1): void {
    this.#sent += count;
    this.#server.sendUpTo(this.#sent);
  }

  /** Kill -9, and a new start on what is left behind. */
  async killAndRestart(): Promise<void> {
    await this.#started.service.end("SIGKILL");
    this.#started = await this.#start();
  }

  alert(id: string): Promise<Alert> {
    return this.api.expect(Alert, "GET", `/v1/alerts/${id}`);
  }
  async alerts(query: string): Promise<Alert[]> {
    return (await this.api.expect(AlertsAnswer, "GET", `/v1/alerts?${query}`)).alerts;
  }
  /** The signal of this name, once its newest reading is this one: then it was evaluated. */
  signal(name: string, dbm: number): Promise<Signal> {
    return until(
      `${name} at ${dbm} dBm`,
      async () => {
        const { signals } = await this.api.expect(SignalsAnswer, "GET", `/v1/signals?q=${name}`);
        return signals.find(({ strength }) => strength === dbm);
      },
      60_000,
    );
  }
  async events(query: string): Promise<SignalServiceEvent[]> {
    return (await this.api.expect(EventsAnswer, "GET", `/v1/events?limit=500&${query}`)).events;
  }
}

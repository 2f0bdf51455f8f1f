import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, expect, it, onTestFinished } from "vitest";
import type { WebhookId } from "../../schemas/common.ts";
import { SignalCreate } from "../../schemas/signal.ts";
import { WebhookCreate } from "../../schemas/webhook.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { type AddressedEvent, changeRecord, eventRecord } from "../../src/domain/records.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { DeliveringWorkers } from "../support/delivering-workers.ts";
import { EventEndpoint } from "../support/event-endpoints.ts";
import { brokersOf, kafkaToKill, newPrefix, openTestKafkaLog } from "../support/kafka.ts";
import { TestPartition } from "../support/partition.ts";
import { openTestControl, ownPostgres } from "../support/postgres.ts";
import { until } from "../support/until.ts";

const EVENTS = Number(process.env.WEBHOOK_KILL_EVENTS ?? 10_000);
const ENDPOINTS = 20;
const KILLS = 5;
/** Of each signal: it is created, and then fails and recovers in turn. */
const EVENTS_OF_EACH = 20;
const SIGNALS = EVENTS / EVENTS_OF_EACH;
/** What the design promises. */
const TAKEN_OVER_MAX_MS = 30_000;
const GOES_ON_MS = 600_000;

const kafka = await kafkaToKill();
const postgres = kafka === null ? null : await ownPostgres();
afterAll(() => postgres?.remove());

const seconds = (ms: number): string => (ms / 1000).toFixed(1);

/** What happens to so many signals, as the evaluator tells it: in order, and with the ids and sequences it gives. */
const eventsOf = async ({ accounts, signals }: ControlStore): Promise<AddressedEvent[]> => {
  const { id: account } = await accounts.first();
  const partition = new TestPartition();
  partition.now = Date.now();
  const ids = [];
  for (let n = 0; n < SIGNALS; n++) {
    const input = SignalCreate.parse({ name: `kill ${n}`, threshold: 0.4, noDataAfterSeconds: null });
    const made = await signals.create(account, input);
    if (!made.ok) throw new Error(made.reason);
    partition.append(changeRecord({ type: "signal", signal: made.value.definition }, 0));
    ids.push(made.value.definition.id);
  }
  for (let turn = 1; turn < EVENTS_OF_EACH; turn++) {
    partition.after(1_000);
    const lines = ids.map((id) => readingLine(id, partition.now, turn % 2 === 1 ? -95 : -55));
    partition.append({ value: new TextEncoder().encode(lines.join("")) });
  }
  return partition.sink.events;
};

const subscribed = async ({ accounts, webhooks }: ControlStore): Promise<Map<WebhookId, EventEndpoint>> => {
  const { id: account } = await accounts.first();
  const endpoints = new Map<WebhookId, EventEndpoint>();
  for (let n = 0; n < ENDPOINTS; n++) {
    const endpoint = await EventEndpoint.start();
    const events = ["signal.created", "signal.updated", "signal.failed"];
    const made = await webhooks.create(account, WebhookCreate.parse({ url: endpoint.url, events }));
    if (!made.ok) throw new Error(made.reason);
    endpoints.set(made.value.id, endpoint);
  }
  return endpoints;
};

it.skipIf(kafka === null)(
  "delivers every event to every endpoint, in order, over five kills of a deliver worker beside another",
  async () => {
    if (kafka === null || postgres === null) return;
    const secretKey = randomBytes(32);
    const topicPrefix = newPrefix();
    const url = postgres.url();
    const control = await openTestControl({ url, secretKey });
    onTestFinished(() => control.close());
    const log = await openTestKafkaLog({ brokers: brokersOf(kafka), topicPrefix });
    onTestFinished(() => log.close());
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    onTestFinished(() => pool.end());

    const events = await eventsOf(control);
    expect(events).toHaveLength(EVENTS);
    const endpoints = await subscribed(control);
    const total = () => [...endpoints.values()].reduce((sum, { distinct }) => sum + distinct, 0);
    const environment = {
      KAFKA_BROKERS: brokersOf(kafka).join(),
      KAFKA_TOPIC_PREFIX: topicPrefix,
      DATABASE_URL: url,
      // Nobody asks there.
      CLICKHOUSE_URL: "http://127.0.0.1:9",
      PARTITIONS: "1",
      SECRET_KEY: secretKey.toString("base64"),
      WEBHOOK_ALLOW_PRIVATE: "true",
    };
    const workers = new DeliveringWorkers(environment, async (sql) => (await pool.query(sql)).rows);
    onTestFinished(() => workers.remove());
    await workers.start();
    await workers.start();

    /** From the kill, in ms: until another held the lane, and until the endpoint had a request of whoever holds it now. */
    const takenOver = async (webhookId: WebhookId, at: number) => {
      await until("another to hold the lane", () => workers.holder(webhookId), GOES_ON_MS);
      const heldMs = performance.now() - at;
      const endpoint = endpoints.get(webhookId);
      const before = endpoint?.requests ?? 0;
      const hasSent = () => (endpoint?.requests ?? 0) > before || endpoint?.distinct === EVENTS;
      await until("it to send", hasSent, GOES_ON_MS);
      return { heldMs, sentMs: performance.now() - at };
    };
    const takeovers: Promise<{ readonly heldMs: number; readonly sentMs: number }[]>[] = [];
    const portion = Math.ceil(EVENTS / (KILLS + 1));
    const happen = (nth: number) =>
      log.append("events", events.slice(nth * portion, (nth + 1) * portion).map(eventRecord));
    await happen(0);
    for (let kill = 1; kill <= KILLS; kill++) {
      // So that whoever is killed has something to send, however far ahead its endpoints are.
      await happen(kill);
      const some = total() + Math.floor((portion * ENDPOINTS * Math.random()) / 2);
      await until("some to arrive", () => total() >= some, GOES_ON_MS);
      const { webhooks, at } = await workers.kill();
      const happened = Math.min(EVENTS, (kill + 1) * portion);
      const waiting = webhooks.filter((id) => (endpoints.get(id)?.distinct ?? 0) < happened);
      const taken = Promise.all(waiting.map((id) => takenOver(id, at)));
      // Awaited at the end; what ends the test before is to be told, and not this.
      taken.catch(() => undefined);
      takeovers.push(taken);
      await workers.start();
    }
    await until("every event at every endpoint", () => total() === EVENTS * ENDPOINTS, GOES_ON_MS);
    const wanted = new Set<string>(events.map(({ event }) => event.id));
    for (const endpoint of endpoints.values()) {
      expect(endpoint.ids).toEqual(wanted);
      expect(endpoint.faults).toEqual([]);
    }
    await until("every delivery to be marked", async () => {
      const sql = "select 1 from delivery where status <> 'delivered' limit 1";
      return (await pool.query(sql)).rowCount === 0;
    });
    const lasted = await Promise.all(takeovers);
    const held = lasted.map((all) => Math.max(...all.map(({ heldMs }) => heldMs)));
    const sent = lasted.map((all) => Math.max(...all.map(({ sentMs }) => sentMs)));
    // What it sends first may be an event that is still to be read, as fast as the machine is.
    for (const ms of held) expect(ms).toBeLessThan(TAKEN_OVER_MAX_MS);
    expect(Math.min(...held)).toBeGreaterThan(0);
    const requests = [...endpoints.values()].reduce((sum, one) => sum + one.requests, 0);
    const repeats = requests - EVENTS * ENDPOINTS;
    const share = ((100 * repeats) / (EVENTS * ENDPOINTS)).toFixed(2);
    process.stdout.write(
      `${EVENTS} events to ${ENDPOINTS} endpoints over ${KILLS} kills of the deliver worker: ${repeats} of ${EVENTS * ENDPOINTS} deliveries came again (${share} %); lanes were taken over within ${held.map(seconds).join(", ")} s, and sent to again within ${sent.map(seconds).join(", ")} s\n`,
    );
    expect(await workers.stop(), workers.printed).toEqual([0, 0]);
  },
  900_000,
);

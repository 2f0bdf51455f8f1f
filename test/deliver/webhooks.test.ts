import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, onTestFinished, test } from "vitest";
import { type AccountId, EventId, type WebhookId } from "../../schemas/common.ts";
import { SignalServiceEvent } from "../../schemas/event.ts";
import { WebhookCreate } from "../../schemas/webhook.ts";
import { type DeliverOptions, startDeliver } from "../../src/deliver/deliver.ts";
import { ulid } from "../../src/domain/ids.ts";
import { eventRecord } from "../../src/domain/records.ts";
import { serviceSignature } from "../../src/domain/webhooks/signature.ts";
import { createWebhookSender } from "../../src/outgoing/webhook-sender.ts";
import type { StoredWebhook } from "../../src/ports/webhooks.ts";
import { verifySignature } from "../../src/receiver/verify-signature.ts";
import { caughtUp } from "../support/caught-up.ts";
import { openTestEngines, type TestEngines } from "../support/engines.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { signalId } from "../support/partition.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { until } from "../support/until.ts";

/** The nth event, of signal n mod `signals`. */
const eventOf = (n: number, signals = 3): SignalServiceEvent => ({
  event: "signal.failed",
  id: EventId.parse(`evt_${ulid(1_767_225_600_000 + n, Buffer.alloc(10, n % 256))}`),
  type: "signal.failed",
  createdAt: new Date(1_767_225_600_000 + n).toISOString(),
  apiVersion: "v1",
  sequence: Math.floor(n / signals) + 1,
  data: { reasons: [{ kind: "threshold", since: "2026-01-01T00:00:00.000Z", value: 0.1 }] },
});

const setUp = async () => {
  const engines = await openTestEngines();
  const { id: account } = await engines.control.accounts.first();
  const start = async (options: Partial<DeliverOptions> = {}) => {
    const sender = createWebhookSender({ clock: engines.clock, allowPrivate: true });
    const worker = await startDeliver({ ...engines, sender, ...options });
    onTestFinished(() => worker.stop());
    return worker;
  };
  return { ...engines, account, start };
};
const subscribe = async (
  { control }: TestEngines,
  account: AccountId,
  receiver: Receiver,
  fields: object = {},
): Promise<StoredWebhook> => {
  const input = WebhookCreate.parse({ url: receiver.url, events: ["signal.failed"], ...fields });
  const made = await control.webhooks.create(account, input);
  if (!made.ok) throw new Error(made.reason);
  return made.value;
};
const appendEvents = async ({ log }: TestEngines, accountId: AccountId, from: number, count: number) => {
  const events = Array.from({ length: count }, (_, i) => eventOf(from + i));
  const addressed = events.map((event, i) => ({ accountId, signalId: signalId((from + i) % 3), event }));
  await log.append("events", addressed.map(eventRecord));
  return events.map(({ id }) => id);
};
const deliveriesOf = async ({ control }: TestEngines, account: AccountId, id: WebhookId) =>
  (await control.deliveries.list(account, id, { limit: 500 }))?.items ?? [];

describe("webhooks", () => {
  test("get each event once, as it is in the API, signed in both ways, and the attempt is kept", async () => {
    const own = await setUp();
    const receiver = await startReceiver();
    const webhook = await subscribe(own, own.account, receiver);
    await own.start();
    const [id] = await appendEvents(own, own.account, 0, 1);
    await until("the request", () => receiver.received.length === 1);
    const [request] = receiver.received;
    if (request === undefined || id === undefined) throw new Error("none");
    expect(JSON.parse(request.body)).toEqual(eventOf(0));
    expect(request.headers).toMatchObject({
      "content-type": "application/json",
      "x-service-event": "signal.failed",
      "x-service-signature": serviceSignature(webhook.secrets.secret, request.body),
      "webhook-id": id,
    });
    const { secret } = webhook.secrets;
    expect(verifySignature(request.body, request.headers, secret)).toMatchObject({ scheme: "standard", id });
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    expect(new StandardWebhook(secret).verify(request.body, headers)).toEqual(eventOf(0));
    const delivery = await until("the attempt", async () => {
      const [one] = await deliveriesOf(own, own.account, webhook.id);
      return one?.status === "delivered" ? one : null;
    });
    expect(delivery.attempts).toMatchObject([{ number: 1, responseStatus: 204, detail: "Delivered." }]);
  });

  test("get what they asked for and nothing else, also those made a moment before", async () => {
    const own = await setUp();
    const [all, some, others] = [await startReceiver(), await startReceiver(), await startReceiver()];
    await own.start();
    await subscribe(own, own.account, all);
    await subscribe(own, own.account, some, { filter: { signalIds: [signalId(1)] } });
    await subscribe(own, own.account, others, { events: ["signal.created"] });
    const ids = await appendEvents(own, own.account, 0, 9);
    await until("all to come", () => all.received.length === 9 && some.received.length === 3);
    expect(some.ids()).toEqual([1, 4, 7].map((n) => ids[n]));
    expect(others.received).toEqual([]);
  });

  test("get first attempts of a signal in order, one at a time, while others go on", async () => {
    const own = await setUp();
    const receiver = await startReceiver();
    const held: (() => void)[] = [];
    receiver.answer = (request, response) => {
      const answer = () => response.writeHead(200).end();
      const { sequence } = JSON.parse(request.body);
      if (sequence === 1 && request.headers["webhook-id"] === eventOf(0).id) held.push(answer);
      else answer();
    };
    await subscribe(own, own.account, receiver);
    await own.start();
    const ids = await appendEvents(own, own.account, 0, 30);
    await until("two signals' events", () => receiver.received.length === 21);
    expect(new Set(receiver.ids())).toEqual(new Set(ids.filter((_, n) => n === 0 || n % 3 !== 0)));
    held[0]?.();
    await until("the rest", () => receiver.received.length === 30);
    for (const signal of [0, 1, 2]) {
      const own = new Set(ids.filter((_, n) => n % 3 === signal));
      expect(receiver.ids().filter((id) => own.has(EventId.parse(id)))).toEqual([...own]);
    }
  });

  test("that fail are tried again later, and hold up no later event", async () => {
    const own = await setUp();
    const receiver = await startReceiver();
    receiver.answer = (request, response) => {
      const isFirst = receiver.ids().filter((id) => id === request.headers["webhook-id"]).length === 1;
      response.writeHead(isFirst && request.headers["webhook-id"] === eventOf(0).id ? 500 : 200).end("so so");
    };
    const webhook = await subscribe(own, own.account, receiver);
    await own.start();
    await appendEvents(own, own.account, 0, 4);
    await until("all first attempts", () => receiver.received.length === 4);
    const waiting = await until("the failure", async () => {
      const all = await deliveriesOf(own, own.account, webhook.id);
      return all.find(({ nextAttemptAt }) => nextAttemptAt !== null);
    });
    expect(waiting.attempts).toMatchObject([
      { responseStatus: 500, responseBody: "so so", detail: "The endpoint failed." },
    ]);
    const delayMs = (waiting.nextAttemptAt ?? 0) - Date.parse(waiting.attempts[0]?.at ?? "");
    expect(delayMs).toBeGreaterThanOrEqual(4_000);
    expect(delayMs).toBeLessThan(7_000);
    // It is due now.
    await own.control.deliveries.resend(own.account, webhook.id, waiting.id);
    await until("the second attempt", async () => {
      const one = await own.control.deliveries.get(own.account, webhook.id, waiting.id);
      return one?.status === "delivered" && one.attempts.length === 2;
    });
    expect(receiver.received).toHaveLength(5);
  });

  test("that answer 410 are disabled at once, with the reason", async () => {
    const own = await setUp();
    const receiver = await startReceiver();
    receiver.answer = (_, response) => response.writeHead(410).end();
    const webhook = await subscribe(own, own.account, receiver);
    await own.start();
    await appendEvents(own, own.account, 0, 1);
    const shown = await until("the end", async () => {
      const now = await own.control.webhooks.get(own.account, webhook.id);
      return now?.webhook.settings.enabled === false ? now : null;
    });
    expect(shown.webhook.disabledReason).toContain("gone for good");
    await appendEvents(own, own.account, 3, 3);
    // The service's own event of the disabled webhook may be before them, between them or behind them.
    await caughtUp(own.log, "deliver", "events");
    expect(receiver.received).toHaveLength(1);
  });

  test("that the service disables are told of by an event, which other webhooks get", async () => {
    const own = await setUp();
    const [gone, told] = [await startReceiver(), await startReceiver()];
    gone.answer = (_, response) => response.writeHead(410).end();
    await subscribe(own, own.account, told, { events: ["webhook.disabled"] });
    const { id } = await subscribe(own, own.account, gone, { name: "door", events: ["signal.failed"] });
    const log = new FaultyLog(own.log);
    log.refused.add("events");
    const first = await own.start({ log });
    await appendEvents(own, own.account, 0, 1);
    await until("the end", async () => (await own.control.webhooks.notices(1)).length === 1);
    // The process ends before it could tell: the next one does.
    await first.stop();
    await own.start();
    await until("the event", () => told.received.length > 0);
    const event = SignalServiceEvent.parse(JSON.parse(told.received[0]?.body ?? ""));
    expect(event).toMatchObject({ event: "webhook.disabled", sequence: null });
    expect(event.data.webhook).toMatchObject({ id, name: "door" });
    expect(event.data.webhook?.reason).toContain("gone for good");
    await until("it to be told for good", async () => (await own.control.webhooks.notices(1)).length === 0);
  });

  test("go on after a restart with what was not delivered, and repeat nothing that was", async () => {
    const own = await setUp();
    const receiver = await startReceiver();
    const webhook = await subscribe(own, own.account, receiver);
    const first = await own.start();
    const before = await appendEvents(own, own.account, 0, 20);
    await until("some", () => receiver.received.length >= 5);
    await first.stop();
    const after = await appendEvents(own, own.account, 20, 10);
    await own.start();
    await until("the rest", async () => {
      const all = await deliveriesOf(own, own.account, webhook.id);
      return all.length === 30 && all.every(({ status }) => status === "delivered");
    });
    expect(receiver.ids().toSorted()).toEqual([...before, ...after].toSorted());
  });

  test("that hang hold up nobody else", async () => {
    const own = await setUp();
    const [hanging, healthy] = [await startReceiver(), await startReceiver()];
    hanging.answer = () => undefined;
    await subscribe(own, own.account, hanging);
    await subscribe(own, own.account, healthy);
    await own.start();
    const ids = await appendEvents(own, own.account, 0, 200);
    await until("the healthy one to have all", () => healthy.received.length === 200);
    expect(new Set(healthy.ids())).toEqual(new Set(ids));
    // As many as its window lets out, one of each signal.
    expect(hanging.received.length).toBeLessThanOrEqual(3);
  });

  test("come in order and all, though more happens while those that wait are being read", async () => {
    const own = await setUp();
    const receiver = await startReceiver();
    const webhook = await subscribe(own, own.account, receiver);
    const before = await own.start({ sender: null });
    const waiting = await appendEvents(own, own.account, 0, 250);
    const made = (count: number) =>
      until("deliveries", async () => (await deliveriesOf(own, own.account, webhook.id)).length === count);
    await made(250);
    await before.stop();
    const { promise: read, resolve: readNow } = Promise.withResolvers<void>();
    const { deliveries } = own.control;
    const first: typeof deliveries.first = async (...query) => {
      const page = await deliveries.first(...query);
      await read;
      return page;
    };
    await own.start({ control: { ...own.control, deliveries: { ...deliveries, first } } });
    const later = await appendEvents(own, own.account, 250, 3);
    await made(253);
    readNow();
    await until("all of them", () => receiver.received.length >= 253);
    const ids = [...waiting, ...later];
    for (const signal of [0, 1, 2]) {
      const wanted = ids.filter((_, n) => n % 3 === signal);
      expect(receiver.ids().filter((id) => wanted.includes(EventId.parse(id)))).toEqual(wanted);
    }
  });

  test("go on at once where the only process there is was killed, and is there again", async () => {
    const own = await setUp();
    const receiver = await startReceiver();
    await subscribe(own, own.account, receiver);
    expect(await own.control.lanes.take("the only one", 10, 60_000)).toHaveLength(1);
    await own.start({ owner: "the only one" });
    const ids = await appendEvents(own, own.account, 0, 3);
    await until("all of them", () => receiver.received.length === 3);
    expect(receiver.ids().toSorted()).toEqual(ids.toSorted());
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type AccountId, EventId, SignalId } from "../../schemas/common.ts";
import { EventKind, SignalServiceEvent } from "../../schemas/event.ts";
import {
  CreatedWebhook,
  DeliveriesAnswer,
  DiagnoseAnswer,
  RotatedSecret,
  Webhook,
  WebhooksAnswer,
  WebhookTestAnswer,
} from "../../schemas/webhook.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { startDeliver } from "../../src/deliver/deliver.ts";
import { ulid } from "../../src/domain/ids.ts";
import { eventRecord } from "../../src/domain/records.ts";
import { serviceSignature } from "../../src/domain/webhooks/signature.ts";
import { createWebhookSender } from "../../src/outgoing/webhook-sender.ts";
import type { RunningWorker } from "../../src/ports/worker.ts";
import { verifySignature } from "../../src/receiver/verify-signature.ts";
import { startRecord } from "../../src/record/record.ts";
import { Api } from "../support/api.ts";
import { caughtUp } from "../support/caught-up.ts";
import { startReceiver } from "../support/receiver.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

const BASE = "/v1/integrations/webhooks";
let engines: TestEngines;
let serve: TestServe;
let account: AccountId;
const workers: RunningWorker[] = [];
beforeAll(async () => {
  engines = await openTestEngines();
  serve = await startTestServe(engines, { webhooks: { allowPrivate: true } });
  account = (await engines.control.accounts.first()).id;
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  const sender = createWebhookSender({ clock: systemClock, allowPrivate: true });
  workers.push(await startDeliver({ ...engines, ...machine, sender }));
  workers.push(await startRecord({ ...engines, ...machine, settings: { trim: false } }));
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  await serve.stop();
  await engines.close();
});

const create = (fields: object) =>
  serve.api.expect(CreatedWebhook, "POST", BASE, { events: ["signal.failed"], ...fields });
const at = ({ id }: { id: string }, path = "") => `${BASE}/${id}${path}`;
const deliveries = async (webhook: { id: string }, query = "") =>
  (await serve.api.expect(DeliveriesAnswer, "GET", at(webhook, `/deliveries${query}`))).deliveries;

/** An event of the account, as the evaluator would append it. */
const happen = async (agoMs = 0): Promise<EventId> => {
  const atMs = Date.now() - agoMs;
  const id = EventId.parse(`evt_${ulid(atMs, systemEntropy.bytes(10))}`);
  const signalId = SignalId.parse(`sig_${ulid(0, systemEntropy.bytes(10))}`);
  const createdAt = new Date(atMs).toISOString();
  const event = { event: "signal.failed", id, type: "signal.failed", createdAt } as const;
  const whole = { ...event, apiVersion: "v1" as const, sequence: 1, data: {} };
  await engines.log.append("events", [eventRecord({ accountId: account, signalId, event: whole })]);
  return id;
};

describe("webhooks over HTTP", () => {
  test("are registered with no more than the interface names, shown, changed and removed", async () => {
    const created = await serve.api.call("POST", BASE, {
      url: "https://a.example/x",
      events: ["signal.failed"],
    });
    expect(created.status).toBe(201);
    const { secret, ...webhook } = CreatedWebhook.parse(created.body);
    expect(created.headers.get("location")).toBe(at(webhook));
    expect(webhook).toMatchObject({ status: "enabled", signing: true, health: { circuit: "closed" } });
    expect((await serve.api.call("GET", at(webhook))).body).toEqual(webhook);
    const listed = await serve.api.expect(WebhooksAnswer, "GET", BASE);
    expect(listed.webhooks).toContainEqual(webhook);
    expect(JSON.stringify(listed)).not.toContain(secret);
    const patch = { events: ["signal.created"], enabled: false };
    const changed = await serve.api.expect(Webhook, "PATCH", at(webhook), patch);
    expect(changed).toMatchObject({ ...patch, status: "disabled", statusReason: null });
    expect((await serve.api.call("DELETE", at(webhook))).status).toBe(204);
    expect((await serve.api.call("GET", at(webhook))).status).toBe(404);
  });

  test.each([
    [{ url: "nonsense" }, "url"],
    [{ url: "ftp://a.example" }, "url"],
    [{ url: "https://a.example\n.evil/" }, "url"],
    [{ url: " https://a.example/" }, "url"],
    [{ url: "https://a.example/a b" }, "url"],
    [{ url: "https:\\\\a.example\\x" }, "url"],
    [{ url: "https:///a.example" }, "url"],
    [{ url: "https:a.example" }, "url"],
    [{ url: "https://me:pass@a.example/" }, "url"],
    [{ url: "https://169.254.169.254/latest" }, "url"],
    [{ url: "https://[fe80::1]/" }, "url"],
    [{ events: [] }, "events"],
    [{ events: ["*"] }, "events.0"],
    [{ events: ["signal.exploded"] }, "events.0"],
    [{ events: ["signal.failed", "signal.failed"] }, "events"],
    [{ ratePerSecond: 0 }, "ratePerSecond"],
    [{ filter: { signalIds: [] } }, "filter.signalIds"],
    [{ secret: "mine" }, "secret"],
    [{ groups: { waitSeconds: 0 } }, "groups.waitSeconds"],
    [{ groups: { intervalSeconds: 86_401 } }, "groups.intervalSeconds"],
    [{ groups: { minSignals: 1.5 } }, "groups.minSignals"],
    [{ groups: { groupBy: ["site"] } }, "groups.groupBy"],
    [{ groups: {}, events: ["signal.created"] }, "groups"],
    [{ events: ["signal.failed", "source.degraded"] }, "events"],
  ])("with %j are refused, and told where", async (fields, path) => {
    const body = { url: "https://a.example/", events: ["signal.failed"], ...fields };
    const { status, body: problem } = await serve.api.call("POST", BASE, body);
    expect([status, problem]).toMatchObject([400, { code: "validation_failed", errors: [{ path }] }]);
  });

  test("take groups, whole or by what differs from the default, and let go of them", async () => {
    const groups = { waitSeconds: 30, intervalSeconds: 300, minSignals: 2 };
    const { secret, ...webhook } = await create({ url: "https://a.example/", groups: { waitSeconds: 30 } });
    expect(webhook.groups).toEqual(groups);
    const patch = async (fields: object) => (await serve.api.call("PATCH", at(webhook), fields)).body;
    expect(await patch({ events: ["signal.created"] })).toMatchObject({ errors: [{ path: "groups" }] });
    expect(await patch({ groups: { minSignals: 5 } })).toMatchObject({
      groups: { waitSeconds: 10, intervalSeconds: 300, minSignals: 5 },
    });
    expect(await patch({ groups: null, events: ["signal.created"] })).toMatchObject({ groups: null });
    expect(await patch({ events: ["source.recovered"] })).toMatchObject({ errors: [{ path: "events" }] });
    expect((await create({ url: "https://a.example/" })).groups).toBeNull();
  });

  test("are another account's business alone", async () => {
    const webhook = await create({ url: "https://a.example/" });
    const stranger = await engines.control.apiKeys.create(
      z.custom<AccountId>().parse(`acc_${ulid(0, systemEntropy.bytes(10))}`),
      { name: "x", prefix: "x", hash: systemEntropy.bytes(32), scopes: ["read", "write", "admin"] },
    );
    expect(await engines.control.webhooks.get(stranger.accountId, webhook.id)).toBeNull();
    const reader = new Api(serve.url, await engines.newKey("read"));
    expect(
      (await reader.call("POST", BASE, { url: "https://a.example/", events: ["signal.failed"] })).status,
    ).toBe(403);
  });

  test("on private addresses or by http are refused unless the installation allows them", async () => {
    const strict = await startTestServe(engines);
    try {
      for (const url of [
        "http://a.example/",
        "https://10.0.0.1/",
        "https://localhost/",
        "https://2130706433/",
      ]) {
        const body = { url, events: ["signal.failed"] };
        expect(await strict.api.call("POST", BASE, body)).toMatchObject({
          status: 400,
          body: { errors: [{ path: "url" }] },
        });
        expect(await strict.api.call("POST", `${BASE}/test`, { url })).toMatchObject({ status: 400 });
      }
    } finally {
      await strict.stop();
    }
  });

  test("can be tried before and after they are saved, also when the endpoint fails", async () => {
    const receiver = await startReceiver();
    const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const before = await serve.api.expect(WebhookTestAnswer, "POST", `${BASE}/test`, {
      url: receiver.url,
      events: ["alert.firing"],
      secret,
    });
    expect(before).toMatchObject({ delivered: true, responseStatus: 204, detail: "Delivered." });
    const [got] = receiver.received;
    expect(got?.body).toBe(before.request.body);
    expect(SignalServiceEvent.parse(JSON.parse(got?.body ?? ""))).toMatchObject({ event: "alert.firing" });
    expect(verifySignature(got?.body ?? "", got?.headers ?? {}, secret).scheme).toBe("standard");
    receiver.answer = (_, response) => response.writeHead(401).end("who are you");
    const webhook = await create({ url: receiver.url });
    const after = await serve.api.expect(WebhookTestAnswer, "POST", at(webhook, "/test"));
    expect(after).toMatchObject({ delivered: false, responseStatus: 401, responseBody: "who are you" });
    expect(after.detail).toContain("secret");
    expect(verifySignature(after.request.body, after.request.headers, webhook.secret).scheme).toBe(
      "standard",
    );
    expect(await deliveries(webhook)).toEqual([]);
    const backwards = "/deliveries?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z";
    expect(await serve.api.call("GET", at(webhook, backwards))).toMatchObject({
      status: 400,
      body: { code: "validation_failed", errors: [{ path: "from", message: "must be before to" }] },
    });
    for (const bad of ["", "secret", "whsec_", "whsec_!!!"])
      expect(await serve.api.call("POST", `${BASE}/test`, { url: receiver.url, secret: bad })).toMatchObject({
        status: 400,
        body: { errors: [{ path: "secret" }] },
      });
    const nobody = { url: "http://127.0.0.1:1/", events: ["signal.failed"] };
    const refused = await serve.api.expect(WebhookTestAnswer, "POST", `${BASE}/test`, nobody);
    expect(refused).toMatchObject({ delivered: false, responseStatus: null });
    expect(refused.detail).toContain("Nothing listens");
  });

  test("change their secrets with an overlap, in which either verifies", async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url });
    const rotated = await serve.api.expect(RotatedSecret, "POST", at(webhook, "/rotate-secret"));
    expect(Date.parse(rotated.previousValidUntil ?? "") - Date.now()).toBeGreaterThan(86_000_000);
    const id = await happen();
    await until("the event", () => receiver.ids().includes(id));
    const got = receiver.received.find(({ headers }) => headers["webhook-id"] === id);
    for (const secret of [webhook.secret, rotated.secret])
      expect(verifySignature(got?.body ?? "", got?.headers ?? {}, secret)).toMatchObject({ id });
    expect(got?.headers["x-service-signature"]).toBe(serviceSignature(webhook.secret, got?.body ?? ""));
    expect(got?.headers["x-service-signature-next"]).toBe(serviceSignature(rotated.secret, got?.body ?? ""));
    await serve.api.expect(RotatedSecret, "POST", at(webhook, "/rotate-secret"), { overlapSeconds: 0 });
    const next = await happen();
    await until("the next event", () => receiver.ids().includes(next));
    const last = receiver.received.find(({ headers }) => headers["webhook-id"] === next);
    expect(last?.headers["x-service-signature-next"]).toBeUndefined();
    expect(() => verifySignature(last?.body ?? "", last?.headers ?? {}, rotated.secret)).toThrow();
  });

  test("without signing send no signature", async () => {
    const receiver = await startReceiver();
    await create({ url: receiver.url, signing: false });
    const id = await happen();
    await until("the event", () => receiver.ids().includes(id));
    const got = receiver.received.find(({ headers }) => headers["webhook-id"] === id);
    expect(Object.keys(got?.headers ?? {}).filter((name) => name.includes("signature"))).toEqual([]);
    const before = { url: receiver.url, signing: false };
    const tried = await serve.api.expect(WebhookTestAnswer, "POST", `${BASE}/test`, before);
    expect(Object.keys(tried.request.headers).filter((name) => name.includes("signature"))).toEqual([]);
  });

  test("show what was sent, and send it again", async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url });
    const id = await happen();
    const [delivery] = await until("the delivery", async () => {
      const all = await deliveries(webhook, "?status=delivered");
      return all.length === 1 ? all : null;
    });
    expect(delivery).toMatchObject({
      eventId: id,
      event: "signal.failed",
      attempts: [{ responseStatus: 204 }],
    });
    expect(await deliveries(webhook, "?status=failed")).toEqual([]);
    const again = await serve.api.call("POST", at(webhook, `/deliveries/${delivery?.id}/resend`));
    expect(again).toMatchObject({ status: 202, body: { status: "pending" } });
    await until("the repeat", () => receiver.ids().filter((one) => one === id).length === 2);
    const unknown = `dlv_${ulid(0, systemEntropy.bytes(10))}`;
    expect((await serve.api.call("POST", at(webhook, `/deliveries/${unknown}/resend`))).status).toBe(404);
  });

  test("recover what they missed while they were disabled, each event once", async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url });
    const since = new Date().toISOString();
    await serve.api.call("PATCH", at(webhook), { enabled: false });
    const missed = [await happen(), await happen(), await happen()];
    await caughtUp(engines.log, "deliver", "events");
    expect((await serve.api.call("POST", at(webhook, "/recover"), { since })).status).toBe(409);
    await serve.api.call("PATCH", at(webhook), { enabled: true });
    const recovered = await serve.api.call("POST", at(webhook, "/recover"), { since });
    expect(recovered).toMatchObject({ status: 202, body: { deliveries: 3 } });
    await until("what was missed", () => receiver.received.length === 3);
    expect(receiver.ids().toSorted()).toEqual(missed.toSorted());
    const twice = await serve.api.call("POST", at(webhook, "/recover"), { since });
    expect(twice.body).toEqual({ deliveries: 0 });
  });

  test("recover nothing that is older than the deliveries that are kept, as it may have been delivered", async () => {
    const receiver = await startReceiver();
    const tooOld = await happen(31 * 86_400_000);
    const old = await happen(29 * 86_400_000);
    const webhook = await create({ url: receiver.url });
    const since = new Date(0).toISOString();
    await until("it to be recovered", async () => {
      await serve.api.call("POST", at(webhook, "/recover"), { since });
      return receiver.ids().includes(old);
    });
    expect((await deliveries(webhook, "?limit=500")).map(({ eventId }) => eventId)).not.toContain(tooOld);
  });

  test("have a doctor for signatures that do not verify", async () => {
    const receiver = await startReceiver();
    const webhook = await create({ url: receiver.url });
    const id = await happen();
    await until("the event", () => receiver.ids().includes(id));
    const got = receiver.received.find(({ headers }) => headers["webhook-id"] === id);
    const headers = Object.fromEntries(
      Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
    const ask = (fields: object) =>
      serve.api.expect(DiagnoseAnswer, "POST", at(webhook, "/diagnose"), {
        headers,
        body: got?.body,
        ...fields,
      });
    expect(await ask({})).toMatchObject({ verifies: true, findings: [{ code: "verifies" }] });
    const indented = JSON.stringify(JSON.parse(got?.body ?? ""), null, 2);
    expect(await ask({ body: indented })).toMatchObject({
      verifies: false,
      findings: [{ code: "body_reencoded" }],
    });
    const other = `${got?.body.slice(0, -1)} }`;
    expect(await ask({ body: '{"a":1}' })).toMatchObject({ findings: [{ code: "body_differs" }] });
    expect((await ask({ body: other })).verifies).toBe(false);
    const { secret } = await serve.api.expect(RotatedSecret, "POST", at(webhook, "/rotate-secret"), {});
    expect(await ask({ computed: serviceSignature(secret, got?.body ?? "") })).toMatchObject({
      verifies: false,
    });
  });

  test("have samples of every event, for who builds what takes them", async () => {
    const Samples = z.object({ events: z.array(SignalServiceEvent) });
    const { events } = await serve.api.expect(Samples, "GET", "/v1/events/samples");
    expect(events.map(({ event }) => event)).toEqual(EventKind.options);
    const one = await serve.api.expect(Samples, "GET", "/v1/events/samples?event=alert.resolved");
    expect(one.events).toMatchObject([{ event: "alert.resolved", data: { alert: { state: "resolved" } } }]);
  });
});

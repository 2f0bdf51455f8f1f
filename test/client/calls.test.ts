import { describe, expect, test } from "vitest";
import { createClient } from "../../src/client/client.ts";
import { ApiError, UnreachableError } from "../../src/client/failures.ts";
import { each, pages } from "../../src/client/pages.ts";
import { ManualClock } from "../support/clock.ts";
import { freePorts } from "../support/free-ports.ts";
import { HttpFarEnd } from "../support/http-far-end.ts";
import { sharedServe } from "../support/serve.ts";
import { tlsFront } from "../support/tls-front.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();
const client = () => createClient({ url: `${shared.serve.url}/`, apiKey: shared.serve.key });
const create = (name: string, labels: Record<string, string> = {}) =>
  client().post("/v1/signals", { body: { name, threshold: 0.4, labels } });
const failureOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => null,
    (error: unknown) => error,
  );
const list = { signals: [], nextCursor: null };
const json = (status: number, body: unknown, headers = {}) =>
  [status, JSON.stringify(body), { "content-type": "application/json", ...headers }] as const;
const problem = (status: number, code: string, headers = {}) =>
  json(status, { type: "t", title: "T", status, code, detail: "d", requestId: "req_1" }, headers);

/** A clock on which no wait takes any time, and that tells how long each would have been. */
const sleepless = (manual = new ManualClock()) => {
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
  };
  const after = (ms: number, task: () => void) => manual.after(ms, task);
  return { slept, clock: { now: () => manual.now(), after, sleep } };
};

/** A service that answers as told, one after the other, and then with an empty list; null: it hangs up. */
const answering = async (...answers: (ReturnType<typeof json> | null)[]) => {
  const far = await HttpFarEnd.start((response, _asked, number) => {
    const answer = number > answers.length ? json(200, list) : answers[number - 1];
    if (answer) response.writeHead(answer[0], answer[2]).end(answer[1]);
    else response.destroy();
  });
  const { clock, slept } = sleepless();
  const entropy = {
    random: () => 0.5,
    bytes: (count: number) => new Uint8Array(count).fill(far.asked.length),
  };
  return { far, slept, client: createClient({ url: new URL(far.url).origin, apiKey: "k", clock, entropy }) };
};

describe("a call", () => {
  test("gives what came, in its type, and what stands in the answer's headers", async () => {
    const { signals } = await create("typed");
    const [made] = signals;
    const path = { id: made?.id ?? "" };
    const { data, response } = await client().raw.GET("/v1/signals/{id}", { params: { path } });
    expect(data).toEqual(made);
    const changed = await client().patch("/v1/signals/{id}", {
      params: { path, header: { "If-Match": response.headers.get("etag") ?? "" } },
      body: { threshold: 0.5 },
    });
    expect(changed.threshold).toBe(0.5);
    await client().delete("/v1/signals/{id}", { params: { path } });
    expect(await failureOf(client().get("/v1/signals/{id}", { params: { path } }))).toMatchObject({
      status: 404,
      code: "not_found",
    });
  });

  test("throws a refusal with its code, its request and what to do", async () => {
    const error = await failureOf(client().post("/v1/signals", { body: { name: "", threshold: 7 } }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: "validation_failed",
      requestId: expect.stringMatching(/^req_/),
      errors: [{ path: "name" }, { path: "threshold" }],
      advice: expect.stringContaining("Correct"),
    });
    const stranger = createClient({ url: shared.serve.url, apiKey: "sos_none" });
    expect(await failureOf(stranger.get("/v1/signals"))).toMatchObject({
      code: "unauthorized",
      advice: expect.stringContaining("API key"),
    });
  });

  test("goes through the pages of a list, each asked for when it is wanted", async () => {
    const labels = { list: "paged" };
    const made = await Promise.all(["a", "b", "c", "d", "e"].map((name) => create(name, labels)));
    const asked: object[] = [];
    const page = (start: { cursor?: string }) => {
      asked.push(start);
      const query = { ...start, limit: 2, sort: "createdAt" as const, label: "list:paged" };
      return client().get("/v1/signals", { params: { query } });
    };
    const names: string[] = [];
    for await (const { name } of each(page, ({ signals }) => signals)) names.push(name);
    expect(names.sort()).toEqual(["a", "b", "c", "d", "e"]);
    expect(made).toHaveLength(5);
    expect(asked).toHaveLength(3);
    for await (const { signals } of pages(page)) {
      expect(signals).toHaveLength(2);
      break;
    }
    expect(asked).toHaveLength(4);
  });
});

describe("a call that fails", () => {
  test("is made again where it may be: nobody answered, or the answer says that it passes", async () => {
    const { far, client, slept } = await answering(null, problem(503, "storage_unavailable"));
    expect(await client.get("/v1/signals")).toEqual(list);
    expect(far.asked).toHaveLength(3);
    expect(slept).toEqual([100, 200]);
  });

  test("is made again after as long as the service asks for, whatever its method", async () => {
    const slow = problem(429, "rate_limited", { "retry-after": "7" });
    const { far, client, slept } = await answering(slow);
    const path = { id: "sig_1" };
    await client.patch("/v1/signals/{id}", { params: { path }, body: { threshold: 1 } });
    expect(slept).toEqual([7_100]);
    expect(far.asked.map(({ method, body }) => [method, body])).toEqual([
      ["PATCH", '{"threshold":1}'],
      ["PATCH", '{"threshold":1}'],
    ]);
  });

  test("has one Idempotency-Key over all its attempts, and another one for another call", async () => {
    const inFlight = problem(409, "idempotency_in_flight", { "retry-after": "1" });
    const { far, client, slept } = await answering(null, inFlight);
    const body = { name: "once", threshold: 0.4 };
    await client.post("/v1/signals", { body });
    expect(slept).toEqual([100, 1_200]);
    await client.post("/v1/signals", { body });
    await client.post("/v1/signals", { body, params: { header: { "Idempotency-Key": "mine" } } });
    const keys = far.asked.map(({ headers }) => headers["idempotency-key"]);
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([keys[0], keys[0], keys[0], expect.not.stringMatching(String(keys[0])), "mine"]);
  });

  test("is not made again where that might do it twice, or where it is refused", async () => {
    const conflict = problem(409, "conflict");
    const { far, client } = await answering(null, conflict, problem(503, "storage_unavailable"));
    const path = { id: "sig_1" };
    const patched = client.patch("/v1/signals/{id}", { params: { path }, body: { threshold: 1 } });
    expect(await failureOf(patched)).toBeInstanceOf(UnreachableError);
    const posted = client.post("/v1/signals", { body: { name: "a", threshold: 1 } });
    expect(await failureOf(posted)).toMatchObject({ code: "conflict" });
    const removed = client.delete("/v1/signals/{id}", { params: { path } });
    expect(await failureOf(removed)).toMatchObject({ code: "storage_unavailable", requestId: "req_1" });
    expect(far.asked).toHaveLength(3);
  });

  test("gives up after three more attempts, at once where waiting would be long, and when it is told to", async () => {
    const { far, client } = await answering(null, null, null, null);
    const given = await failureOf(client.get("/v1/signals"));
    expect(given).toMatchObject({ name: "UnreachableError", advice: expect.any(String) });
    expect(far.asked).toHaveLength(4);

    const long = await answering(problem(429, "rate_limited", { "retry-after": "31" }));
    expect(await failureOf(long.client.get("/v1/signals"))).toMatchObject({ retryAfterMs: 31_000 });

    const hanging = await HttpFarEnd.start(() => undefined);
    const stop = new AbortController();
    const patient = createClient({ url: new URL(hanging.url).origin, apiKey: "k" });
    const waiting = failureOf(patient.get("/v1/signals", { signal: stop.signal }));
    await until("the request", () => hanging.asked.length === 1);
    stop.abort(new Error("no more"));
    expect(await waiting).toEqual(new Error("no more"));
    expect(hanging.asked).toHaveLength(1);
  });

  test("takes an answer that does not come, or breaks off, for none", async () => {
    const far = await HttpFarEnd.start((response, _asked, number) => {
      if (number === 2) {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
        response.write('{"signals":[');
        response.socket?.end();
      } else if (number === 3)
        response.setHeader("content-type", "application/json").end(JSON.stringify(list));
    });
    const manual = new ManualClock();
    const { clock } = sleepless(manual);
    const called = createClient({ url: new URL(far.url).origin, apiKey: "k", clock }).get("/v1/signals");
    await until("the first attempt", () => far.asked.length === 1);
    manual.advance(30_000);
    expect(await called).toEqual(list);
  });
});

describe("who cannot be reached", () => {
  const tried = (url: string) => failureOf(createClient({ url, apiKey: "k", retries: 0 }).get("/v1/signals"));

  test("is told of with the reason and what to do", async () => {
    const closed = await HttpFarEnd.start(() => undefined);
    const nobody = `http://127.0.0.1:${(await freePorts(1))[0]}`;
    expect(await tried(nobody)).toMatchObject({
      message: `${nobody} cannot be reached: nothing listens there`,
      advice: expect.stringContaining("Start the service"),
    });
    expect(await tried("http://127.0.0.1:9")).toMatchObject({ advice: "Check the port." });
    expect(await tried("http://nowhere.invalid")).toMatchObject({
      message: expect.stringContaining("its name is not known"),
    });
    expect(await tried(await tlsFront(shared.serve.url))).toMatchObject({
      message: expect.stringContaining("certificate is not trusted"),
      advice: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
    });
    expect(await tried(`https://127.0.0.1:${closed.port}`)).toMatchObject({
      advice: expect.stringContaining("https:// or http://"),
    });
  });

  test("is told apart from a service that is not ready, with its parts", async () => {
    const parts = [
      { name: "time series", state: "down" as const, detail: "the disk is full: make room" },
      { name: "event log", state: "ok" as const, detail: null },
    ];
    const { client: asking } = await answering(
      ...Array(4).fill(json(503, { status: "down", parts, more: 1 })),
    );
    expect(await failureOf(asking.get("/health/ready"))).toMatchObject({
      name: "NotReadyError",
      code: "not_ready",
      detail: "the service is not ready: time series: the disk is full: make room",
      advice: expect.stringContaining("parts"),
      parts,
    });
  });

  test("is told apart from another server that answers", async () => {
    const page = await HttpFarEnd.start((response) => {
      response.setHeader("content-type", "text/html").end("<h1>Welcome</h1>");
    });
    expect(await tried(new URL(page.url).origin)).toMatchObject({
      code: "unexpected_answer",
      advice: expect.stringContaining("address"),
      requestId: null,
    });
  });
});

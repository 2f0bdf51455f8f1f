import { describe, expect, onTestFinished, test } from "vitest";
import { BatchAnswer } from "../../schemas/batch.ts";
import { SignalsAnswer, SignalsCreated } from "../../schemas/signal.ts";
import { allRecords } from "../support/engines.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { openTestEngines, startTestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const PATH = "/v1/signals/batch";

/** A serve worker whose log can be taken away, one signal, and a way to send a batch under a key. */
const start = async () => {
  const engines = await openTestEngines();
  const log = new FaultyLog(engines.log);
  const serve = await startTestServe({ ...engines, log });
  onTestFinished(async () => {
    await serve.stop();
    await engines.close();
  });
  const body = { name: "there", threshold: 0.4 };
  const made = await serve.api.expect(SignalsCreated, "POST", "/v1/signals", body);
  const id = made.signals[0]?.id ?? "";
  const send = async (key: string, body: object, apiKey = serve.key) => {
    const response = await fetch(`${serve.url}${PATH}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        "Idempotency-Key": key,
      },
      body: JSON.stringify(body),
    });
    const { status, headers } = response;
    return { status, isReplayed: headers.has("idempotency-replayed"), body: await response.json() };
  };
  /** As clients do, until the log takes it: who has just failed waits a little before it tries again. */
  const sendUntilTaken = async (key: string, body: object) => {
    let answer = await send(key, body);
    await until("the batch to be taken", async () => {
      if (answer.status === 503) answer = await send(key, body);
      return answer.status !== 503;
    });
    return answer;
  };
  const named = async (q: string) =>
    (await serve.api.expect(SignalsAnswer, "GET", `/v1/signals?q=${q}&limit=500`)).signals.length;
  const readings = async () => {
    let count = 0;
    for (const { partition } of await engines.log.bounds("readings"))
      for (const record of await allRecords(engines.log, "readings", partition))
        count += new TextDecoder().decode(record.value).split(`${id}\t`).length - 1;
    return count;
  };
  return { log, serve, engines, id, send, sendUntilTaken, named, readings };
};

const create = (name: string) => ({ operation: "create", name, threshold: 0.3 });
const report = (signalId: string) => ({ operation: "report", signalId, strength: -60 });

describe("a batch that is sent again because the log was away", () => {
  test("makes its changes once, and then only reports", async () => {
    const { log, id, send, sendUntilTaken, named, readings } = await start();
    const batch = { atomic: true, operations: [create("dup"), report(id)] };
    log.refused.add("readings");
    const refused = [await send("k", batch), await send("k", batch)];
    expect(refused.map(({ status }) => status)).toEqual([503, 503]);
    expect(await named("dup")).toBe(1);
    const other = await send("k", { ...batch, operations: [create("other"), report(id)] });
    expect(other).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    log.refused.clear();
    const taken = await sendUntilTaken("k", batch);
    expect(BatchAnswer.parse(taken.body).summary).toEqual({ ok: 2, failed: 0 });
    expect(taken).toMatchObject({ body: { results: [{ signal: { name: "dup" } }, { accepted: true }] } });
    expect(await send("k", batch)).toEqual({ ...taken, isReplayed: true });
    expect([await named("dup"), await named("other")]).toEqual([1, 0]);
    expect(await readings()).toBeGreaterThan(0);
  });

  test("tells less of a long batch, but what became of each operation", async () => {
    const { log, id, send, sendUntilTaken, named } = await start();
    const creates = Array.from({ length: 1_000 }, (_, i) => create(`long ${i}`));
    const batch = { atomic: true, operations: [...creates, report(id)] };
    log.refused.add("readings");
    expect((await send("long", batch)).status).toBe(503);
    log.refused.clear();
    const taken = await sendUntilTaken("long", batch);
    expect(BatchAnswer.parse(taken.body).summary).toEqual({ ok: 1_001, failed: 0 });
    expect(await named("long")).toBe(500);
    expect(await named("long 77")).toBe(11);
  });

  test("is refused alike when nothing of it was done", async () => {
    const { id, send, named } = await start();
    const bad = { atomic: true, operations: [create("no"), report(`${id.slice(0, -2)}00`)] };
    const refused = await send("bad", bad);
    expect(refused).toMatchObject({ status: 422, body: { code: "batch_refused" } });
    expect(await send("bad", bad)).toMatchObject({ status: 422, isReplayed: true });
    expect(await named("no")).toBe(0);
  });
});

test("an analysis in a batch needs the scope that reading needs anywhere", async () => {
  const { engines, id, send } = await start();
  const writer = await engines.newKey("write");
  const operations = [{ operation: "analyze", signalIds: [id] }, create("written")];
  const { results } = BatchAnswer.parse((await send("w", { operations }, writer)).body);
  expect(results.map(({ status, error }) => [status, error?.code])).toEqual([
    ["error", "forbidden"],
    ["ok", undefined],
  ]);
  const atomic = await send("wa", { operations, atomic: true }, writer);
  expect(atomic).toMatchObject({ status: 422, body: { errors: [{ path: "operations.0" }] } });
});

import { describe, expect, test } from "vitest";
import { BatchAnswer } from "../../schemas/batch.ts";
import { Problem } from "../../schemas/problem.ts";
import { SignalsAnswer } from "../../schemas/signal.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes } from "../support/rows.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();
const BATCH = "/v1/signals/batch";

const forged = (place: unknown): string => Buffer.from(JSON.stringify(place)).toString("base64url");
const status = async (path: string): Promise<number> => (await shared.serve.api.call("GET", path)).status;
const send = async (contentType: string, body: string, path = BATCH, headers: object = {}) => {
  const { url, key } = shared.serve;
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "content-type": contentType, ...headers },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
};
const created = async (...names: string[]): Promise<string[]> => {
  const operations = names.map((name) => ({ operation: "create", name, threshold: 0.4 }));
  const { results } = await shared.serve.api.expect(BatchAnswer, "POST", BATCH, { operations });
  return results.map(({ signal }) => signal?.id ?? "");
};

describe("a cursor that no list gave", () => {
  const ID = "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9";

  test("is refused by the list of signals, or leads nowhere that the account may not go", async () => {
    const place = { sort: "name", key: "x", id: ID };
    for (const bad of [
      null,
      [],
      "name",
      { ...place, key: 7 },
      { ...place, key: "\0" },
      { ...place, key: "\ud800" },
      { ...place, id: "' or 1=1 --" },
      { ...place, sort: "threshold" },
      { ...place, accountId: "acc_01JDA2V3Q8R5T7W9Y1B3D5F7H9" },
      { sort: "createdAt", key: 1e300, id: ID },
      { sort: "createdAt", key: 0.5, id: ID },
    ])
      expect([bad, await status(`/v1/signals?sort=name&cursor=${forged(bad)}`)]).toEqual([bad, 400]);
    const good = `/v1/signals?sort=name&cursor=${forged(place)}`;
    expect(await shared.serve.api.expect(SignalsAnswer, "GET", good)).toMatchObject({ nextCursor: null });
    for (const cursor of ["", "%00", "a".repeat(3_000), "..%2f..", "e30"])
      expect([cursor, await status(`/v1/signals?cursor=${cursor}`)]).toEqual([cursor, 400]);
  });

  test("is refused by a signal's readings, or answered within bounds", async () => {
    const [id] = await created("cursors");
    const line = readingLine(id ?? "", Date.UTC(2026, 0, 31), -60);
    await shared.engines.timeSeries.insertReadings("hostile", readingsIn([bytes(line)]));
    const place = { step: "raw", fromMs: 0, toMs: Date.UTC(2199, 0, 1), skip: 0 };
    const asked = (one: object) => status(`/v1/signals/${id}/readings?limit=1&cursor=${forged(one)}`);
    for (const bad of [
      { ...place, skip: 2 ** 32 },
      { ...place, skip: -1 },
      { ...place, fromMs: -1 },
      { ...place, toMs: 1e18 },
      { ...place, fromMs: 0.1 },
      { ...place, strength: 1e9 },
      { ...place, step: "1s" },
      { ...place, limit: 1e9 },
      {},
    ])
      expect([bad, await asked(bad)]).toEqual([bad, 400]);
    for (const odd of [
      { ...place, skip: 2 ** 32 - 1 },
      { ...place, fromMs: place.toMs, toMs: 0 },
      { ...place, strength: 50 },
      { ...place, step: "1m" },
      { ...place, step: "1d", fromMs: 12_345 },
    ])
      expect([odd, await asked(odd)]).toEqual([odd, 200]);
  });
});

describe("a hostile batch", () => {
  test("nested 10,000 deep costs a refusal, as JSON and as a line among good ones", async () => {
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    expect((await send("application/json", `{"operations":${deep}}`)).status).toBe(400);
    const good = JSON.stringify({ operation: "create", name: "beside the deep", threshold: 0.4 });
    expect(await send("application/x-ndjson", `${deep}\n${good}\n{"a":${deep}}`)).toMatchObject({
      status: 200,
      body: { summary: { ok: 1, failed: 2 } },
    });
  });

  test("that names a field twice in a line has that line refused", async () => {
    const line = '{"operation":"create","name":"a","threshold":0.4,"n\\u0061me":"b"}';
    expect(await send("application/x-ndjson", line)).toMatchObject({
      body: { results: [{ status: "error", error: { code: "validation_failed" } }] },
    });
    expect((await send("application/json", `{"operations":[${line}]}`)).status).toBe(400);
  });

  test("that gives one externalId twice, or changes one signal many times, is done in its order", async () => {
    const [id] = await created("many times");
    const twice = { operation: "create", name: "twice", threshold: 0.4, externalId: "hostile-twice" };
    const operations = [
      twice,
      twice,
      ...Array.from({ length: 500 }, (_, i) => ({ operation: "update", signalId: id, name: `n ${i}` })),
      ...Array(2).fill({ operation: "delete", signalId: id }),
    ];
    const { results, summary } = await shared.serve.api.expect(BatchAnswer, "POST", BATCH, { operations });
    expect(summary).toEqual({ ok: 502, failed: 2 });
    expect([results[1]?.error?.code, results.at(-1)?.error?.code]).toEqual(["conflict", "not_found"]);
    expect(results[501]?.signal?.name).toBe("n 499");
  });

  test("of any text and number is answered operation by operation", async () => {
    const create = (fields: object) => ({ operation: "create", name: "x", threshold: 0.4, ...fields });
    const operations = [
      create({ name: "\0" }),
      create({ name: "\ud800 alone" }),
      create({ externalId: "a\0b" }),
      create({ labels: { k: "\udfff" } }),
      create({ labels: { constructor: "x", toString: "y" } }),
      create({ name: "𝕬‮🛰️ ﷽ ẞ", externalId: "𝕬" }),
      create({ name: "x".repeat(201) }),
      create({ threshold: -0 }),
      create({ threshold: 5e-324 }),
      create({ threshold: 1.0000000000000002 }),
      create({ noDataAfterSeconds: 1e15 }),
      create({ floorDbm: -1e308 }),
    ];
    const { results } = await shared.serve.api.expect(BatchAnswer, "POST", BATCH, { operations });
    const good = results.filter(({ status: is }) => is === "ok").map(({ index }) => index);
    expect(good).toEqual([4, 5, 7, 8]);
    for (const index of [0, 1, 2, 3, 6, 9, 10, 11])
      expect([index, results[index]?.error?.code]).toEqual([index, "validation_failed"]);
    const found = await shared.serve.api.expect(
      SignalsAnswer,
      "GET",
      `/v1/signals?q=${encodeURIComponent("ß")}`,
    );
    expect(found.signals.map(({ externalId }) => externalId)).toEqual(["𝕬"]);
  });

  test("of analyses ends with a hundred signals", async () => {
    const readings = [{ at: "2026-01-31T09:00:00Z", strength: -60 }];
    const operations = Array(103).fill({ operation: "analyze", readings });
    const { results, summary } = await shared.serve.api.expect(BatchAnswer, "POST", BATCH, { operations });
    expect(summary).toEqual({ ok: 100, failed: 3 });
    expect(results[100]?.error?.code).toBe("validation_failed");
  });

  test("refused with more mistakes than are kept is refused the same way when it is repeated", async () => {
    const operations = Array(10_000).fill({ operation: "create", name: "", threshold: 7 });
    const body = JSON.stringify({ operations, atomic: true });
    const key = { "Idempotency-Key": "hostile-1" };
    const first = await send("application/json", body, BATCH, key);
    expect([first.status, Problem.parse(first.body).errors?.length]).toEqual([422, 20_000]);
    const again = await send("application/json", body, BATCH, key);
    expect(again).toMatchObject({ status: 422, body: { code: "batch_refused" } });
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    const line = { "Idempotency-Key": "hostile-2" };
    expect((await send("application/x-ndjson", "{broken", BATCH, line)).status).toBe(200);
    expect(await send("application/x-ndjson", "{broken too", BATCH, line)).toMatchObject({
      body: { code: "idempotency_mismatch" },
    });
  });
});

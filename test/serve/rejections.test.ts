import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { isBlock } from "../../src/domain/log-record.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { linesOf, recordsOf } from "../support/ingest.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();
const SOURCES = "/v1/integrations/sources";
const Rejections = z.object({ rejections: z.array(z.looseObject({ at: z.string(), reason: z.string() })) });

const create = async (mapping: object): Promise<string> => {
  const body = { type: "push", name: "gateway", mapping };
  return (await shared.serve.api.expect(z.looseObject({ id: z.string() }), "POST", SOURCES, body)).id;
};
const push = (id: string, body: unknown) => shared.serve.api.call("POST", `${SOURCES}/${id}/push`, body);
const rejectionsOf = async (id: string) =>
  (await shared.serve.api.expect(Rejections, "GET", `${SOURCES}/${id}/rejections`)).rejections;
const rejected = (id: string, count: number) =>
  until(`${count} rejections kept`, async () => {
    const kept = await rejectionsOf(id);
    return kept.length === count ? kept : null;
  });
const retry = async (id: string, api = shared.serve.api) => {
  const { status, body } = await api.call("POST", `${SOURCES}/${id}/rejections/retry`);
  return { status, body };
};
const remap = (id: string, mapping: object) =>
  shared.serve.api.call("PATCH", `${SOURCES}/${id}`, { mapping });
/** Every line of the log with one of these strengths: [ms, dBm]. */
const logged = async (...strengths: number[]) =>
  (await recordsOf(shared.engines.log, "readings"))
    .filter(isBlock)
    .flatMap(linesOf)
    .filter(({ strength }) => strengths.includes(strength))
    .map(({ atMs, strength }) => [atMs, strength]);

describe("rejections that are tried again", () => {
  test("become readings of the time at which they came, by the mapping of today, once", async () => {
    const id = await create({ signal: "$.name", strength: "$.rssi" });
    await push(id, { name: "late", level: -11.5 });
    await push(id, { name: "late", level: "none" });
    const [, first] = await rejected(id, 2);
    expect(await retry(id)).toEqual({ status: 200, body: { retried: 2, readings: 0, remaining: 2 } });
    await remap(id, { signal: "$.name", strength: "$.level" });
    expect(await retry(id)).toEqual({ status: 200, body: { retried: 2, readings: 1, remaining: 1 } });
    expect(await logged(-11.5)).toEqual([[Date.parse(first?.at ?? ""), -11.5]]);
    expect(await rejectionsOf(id)).toMatchObject([{ payload: '{"name":"late","level":"none"}' }]);
    expect(await retry(id)).toEqual({ status: 200, body: { retried: 1, readings: 0, remaining: 1 } });
    expect(await logged(-11.5)).toHaveLength(1);
    await until("the counter", async () => {
      const { body } = await shared.serve.api.call("GET", `${SOURCES}/${id}`);
      return (
        z.looseObject({ counters: z.looseObject({ readings: z.number() }) }).parse(body).counters.readings ===
        1
      );
    });
  });

  test("take only the part of a message that was rejected, while it can be told", async () => {
    const mapping = (each: string) => ({ each, signal: "$.name", strength: "$.level" });
    const id = await create(mapping("$.heard[*]"));
    const heard = [
      { name: "part", level: -21.5 },
      { name: "part", level: "?", rssi: -22.5 },
      { name: "part", level: -23.5, rssi: -24.5 },
    ];
    await push(id, { heard });
    expect(await rejected(id, 1)).toMatchObject([{ element: { index: 1, of: 3 } }]);
    await remap(id, { ...mapping("$.heard[:2]"), strength: "$.rssi" });
    expect((await retry(id)).body).toMatchObject({ readings: 0, remaining: 1 });
    await remap(id, { ...mapping("$.heard[*]"), strength: "$.rssi" });
    expect((await retry(id)).body).toEqual({ retried: 1, readings: 1, remaining: 0 });
    const strengths = (await logged(-21.5, -22.5, -23.5, -24.5)).map(([, strength]) => strength);
    expect(strengths.sort()).toEqual([-21.5, -22.5, -23.5]);
  });

  test("stay when the log cannot take them, and can be tried again", async () => {
    const log = new FaultyLog(shared.engines.log);
    const serve = await startTestServe({ ...shared.engines, log });
    onTestFinished(() => serve.stop());
    const id = await create({ signal: "$.name", strength: "$.rssi" });
    for (const level of [-31.5, -32.5, -33.5]) await push(id, { name: "stay", level });
    await rejected(id, 3);
    await remap(id, { signal: "$.name", strength: "$.level" });
    log.refused.add("readings");
    expect(await retry(id, serve.api)).toMatchObject({ status: 503, body: { code: "pipeline_unavailable" } });
    expect(await rejectionsOf(id)).toHaveLength(3);
    log.refused.clear();
    await until("all to be taken", async () => {
      await retry(id, serve.api);
      return (await rejectionsOf(id)).length === 0;
    });
    expect((await logged(-31.5, -32.5, -33.5)).map(([, strength]) => strength)).toEqual([
      -31.5, -32.5, -33.5,
    ]);
  });

  test("are tried by one at a time, and of a source that is there", async () => {
    const id = await create({ preset: "default" });
    const lock = await shared.engines.control.locks.tryLock(`rejections-${id}`);
    expect(await retry(id)).toMatchObject({ status: 409, body: { code: "conflict" } });
    await lock?.release();
    expect(await retry(id)).toEqual({ status: 200, body: { retried: 0, readings: 0, remaining: 0 } });
    expect(await retry("src_00000000000000000000000000")).toMatchObject({ status: 404 });
  });
});

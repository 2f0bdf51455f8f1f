import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { SourceCreate } from "../../schemas/source.ts";
import { PushAnswer } from "../../schemas/source-actions.ts";
import { isBlock } from "../../src/domain/log-record.ts";
import { FaultyLog } from "../support/faulty-log.ts";
import { linesOf, recordsOf } from "../support/ingest.ts";
import {
  chirpStackStatus,
  chirpStackUplink,
  thingsStackJoin,
  thingsStackUplink,
} from "../support/lorawan.ts";
import { accountId } from "../support/rows.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const shared = sharedServe();
const SOURCES = "/v1/integrations/sources";

const create = async (settings: object = {}): Promise<string> => {
  const body = { type: "push", name: "gateway", ...settings };
  return (await shared.serve.api.expect(z.looseObject({ id: z.string() }), "POST", SOURCES, body)).id;
};
interface Sent {
  readonly type?: string | undefined;
  readonly query?: string;
  readonly url?: string;
  readonly key?: string;
  readonly headers?: Record<string, string>;
}
const push = async (
  id: string,
  body: string | Uint8Array<ArrayBuffer> | object,
  {
    type = "application/json",
    query = "",
    url = shared.serve.url,
    key = shared.serve.key,
    headers = {},
  }: Sent = {},
) => {
  const isRaw = typeof body === "string" || body instanceof Uint8Array;
  const response = await fetch(`${url}${SOURCES}/${id}/push${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, ...(type === "" ? {} : { "content-type": type }), ...headers },
    body: isRaw ? body : JSON.stringify(body),
  });
  const json = z.looseObject({ code: z.string().optional() }).parse(await response.json());
  return { status: response.status, headers: response.headers, json };
};
const taken = (accepted: number, skipped = 0, rejected = 0) => ({
  status: 202,
  json: { accepted, skipped, rejected },
});
/** What the log holds of the signals with these names: [name, ms, dBm]. */
const logged = async (...names: string[]) => {
  const { control, accountId, log } = shared.engines;
  const { items } = await control.signals.list(accountId, { limit: 500, labels: {}, sort: "name" });
  const nameOf = new Map(items.map(({ definition }) => [String(definition.id), definition.externalId ?? ""]));
  const lines = (await recordsOf(log, "readings")).filter(isBlock).flatMap(linesOf);
  return lines
    .map(({ signalId, atMs, strength }) => [nameOf.get(signalId) ?? "", atMs, strength])
    .filter(([name]) => names.includes(String(name)));
};
const statusOf = async (id: string) => (await shared.serve.api.call("GET", `${SOURCES}/${id}`)).body;

describe("a push", () => {
  test("of The Things Stack's webhook gives a reading for each gateway, at the network's time", async () => {
    const id = await create({ mapping: { preset: "ttn-v3" } });
    expect(await push(id, thingsStackUplink)).toMatchObject(taken(2));
    expect(await push(id, thingsStackJoin)).toMatchObject(taken(0, 1));
    const at = Date.parse("2026-01-31T09:30:00.123Z");
    const names = ["water-meter-17/town-hall", "water-meter-17/water-tower"];
    expect((await logged(...names)).sort()).toEqual([
      ["water-meter-17/town-hall", at, -97],
      ["water-meter-17/water-tower", at, -113],
    ]);
  });

  test("of ChirpStack's events gives a reading for each gateway, and skips what is no uplink", async () => {
    const id = await create({ mapping: { preset: "chirpstack-v4" } });
    expect(await push(id, chirpStackUplink, { query: "?event=up" })).toMatchObject(taken(2));
    expect(await push(id, chirpStackStatus, { query: "?event=status" })).toMatchObject(taken(0, 1));
    const at = Date.parse("2026-01-31T09:30:01.250Z");
    const names = ["70b3d57ed0061234/0016c001f0000001", "70b3d57ed0061234/0016c001f0000002"];
    expect((await logged(...names)).sort()).toEqual([
      [names[0], at, -97],
      [names[1], at, -113],
    ]);
  });

  test("is taken as a document, an array or lines, whatever its content type says", async () => {
    const id = await create();
    const at = "2026-01-01T00:00:00Z";
    const line = (strength: number) => JSON.stringify({ id: "forms", strength, at });
    const lines = `${line(-3)}\r\n\n${line(-4)}`;
    expect(await push(id, line(-1))).toMatchObject(taken(1));
    expect(
      await push(id, `[${line(-2)}]`, { type: "application/cloudevents+json; charset=utf-8" }),
    ).toMatchObject(taken(1));
    expect(await push(id, lines, { type: "application/x-ndjson" })).toMatchObject(taken(2));
    expect(await push(id, `${line(-5)}\n${line(-6)}\n`, { type: "text/plain" })).toMatchObject(taken(2));
    expect(await push(id, Buffer.from(line(-7)), { type: "" })).toMatchObject(taken(1));
    expect((await logged("forms")).map(([, , strength]) => strength)).toEqual([-1, -2, -3, -4, -5, -6, -7]);
  });

  test("tells what could not be mapped, keeps it, and takes the rest", async () => {
    const id = await create();
    const body = '{"id":"mixed","rssi":-60}\n{"id":"mixed"\n{"id":"mixed","rssi":"weak"}\n{"hello":1}\n';
    expect(await push(id, body, { type: "application/x-ndjson" })).toMatchObject({
      status: 202,
      json: {
        accepted: 1,
        skipped: 1,
        rejected: 2,
        rejections: [
          { reason: "not_json" },
          { reason: "strength_not_a_number", detail: "the strength is no number" },
        ],
      },
    });
    const kept = await until("the rejections to be kept", async () => {
      const { body } = await shared.serve.api.call("GET", `${SOURCES}/${id}/rejections`);
      const { rejections } = z.object({ rejections: z.array(z.looseObject({})) }).parse(body);
      return rejections.length === 2 ? rejections : null;
    });
    expect(kept).toMatchObject([
      { reason: "strength_not_a_number", payload: '{"id":"mixed","rssi":"weak"}' },
      { reason: "not_json", payload: '{"id":"mixed"' },
    ]);
    await until("the counters", async () => {
      const shown = z
        .looseObject({ counters: z.looseObject({ messages: z.number() }) })
        .parse(await statusOf(id));
      return shown.counters.messages === 4;
    });
    expect(await statusOf(id)).toMatchObject({
      state: "connected",
      stateReason: null,
      counters: { messages: 4, readings: 1, skipped: 1, rejected: 2 },
    });
  });

  test("that is no JSON, nests without end, is empty, packed or too large is refused", async () => {
    const id = await create();
    const refused = async (body: string | Uint8Array<ArrayBuffer>, sent: Sent = {}) => {
      const { status, json } = await push(id, body, sent);
      return [status, json.code];
    };
    expect(await refused('{"id":')).toEqual([400, "validation_failed"]);
    expect(await refused(new Uint8Array([123, 255, 125]))).toEqual([400, "validation_failed"]);
    expect(await refused("[".repeat(100_000))).toEqual([400, "validation_failed"]);
    expect(await refused("")).toEqual([400, "validation_failed"]);
    expect(await refused("{}", { headers: { "content-encoding": "gzip" } })).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(await refused(" ".repeat(1024 * 1024 + 1))).toEqual([413, "payload_too_large"]);
    const many = `${JSON.stringify({ id: "toomany", rssi: -1 })}\n${"{}\n".repeat(50_000)}`;
    expect(await refused(many, { type: "application/x-ndjson" })).toEqual([413, "payload_too_large"]);
    expect(await logged("toomany")).toEqual([]);
  });

  test("of anything at all is taken or refused, and always answered as the contract says", async () => {
    const mapping = { each: "$..a", signal: "{$.b}", strength: "$.c", at: "$.d" };
    const ids = await Promise.all([create(), create({ mapping }), create({ mapping: { preset: "ttn-v3" } })]);
    const near = fc.dictionary(
      fc.constantFrom("a", "b", "c", "d", "id", "rssi", "at", "__proto__"),
      fc.jsonValue(),
    );
    const body = fc.oneof(fc.jsonValue(), near, fc.array(near)).map((value) => JSON.stringify(value));
    const type = fc.constantFrom("application/json", "application/x-ndjson", "text/plain", "x/y");
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ids), fc.oneof(body, fc.string()), type, async (id, text, type) => {
        const { status, json } = await push(id, text, { type });
        if (status === 202) expect(PushAnswer.safeParse(json).error).toBeUndefined();
        else expect([status, json.code]).toEqual([400, "validation_failed"]);
      }),
      { numRuns: 300, seed: 5 },
    );
  });

  test("to what is not there, not ours, disabled or of another type is refused", async () => {
    const { sources } = shared.engines.control;
    const theirs = SourceCreate.parse({ type: "push", name: "theirs" });
    const made = await sources.create(accountId(2), theirs);
    if (!made.ok) throw new Error(made.reason);
    const id = await create();
    expect((await push(made.value.id, {})).status).toBe(404);
    expect((await push("src_00000000000000000000000000", {})).status).toBe(404);
    expect((await push("nothing", {})).status).toBe(404);
    expect((await push(id, {}, { key: await shared.engines.newKey("read") })).status).toBe(403);
    await shared.serve.api.call("PATCH", `${SOURCES}/${id}`, { enabled: false });
    expect(await push(id, {})).toMatchObject({ status: 409, json: { code: "conflict" } });
    const simulator = await create({ type: "simulator", enabled: false });
    expect(await push(simulator, {})).toMatchObject({ status: 409, json: { code: "conflict" } });
  });

  test("goes by the mapping and the unknown signals of the newest settings", async () => {
    const id = await create({ unknownSignals: "reject" });
    expect(await push(id, { id: "settings", rssi: -1, level: -2 })).toMatchObject({
      json: { accepted: 0, rejected: 1, rejections: [{ reason: "unknown_signal" }] },
    });
    const mapping = { signal: "$.id", strength: "$.level" };
    await shared.serve.api.call("PATCH", `${SOURCES}/${id}`, { unknownSignals: "create", mapping });
    expect(await push(id, { id: "settings", rssi: -1, level: -2 })).toMatchObject(taken(1));
    expect((await logged("settings")).map(([, , strength]) => strength)).toEqual([-2]);
  });

  test("with an Idempotency-Key is taken once, and with another body refused", async () => {
    const id = await create();
    const headers = { "Idempotency-Key": "push-1" };
    const body = { id: "once", rssi: -60 };
    const first = await push(id, body, { headers });
    const again = await push(id, body, { headers });
    expect(again.json).toEqual(first.json);
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(await logged("once")).toHaveLength(1);
    expect(await push(id, { ...body, rssi: -61 }, { headers })).toMatchObject({ status: 422 });
  });

  test("counts for its source's limit, and not for its key's", async () => {
    const serve = await startTestServe(shared.engines, {
      rateLimit: { requests: 2, seconds: 60 },
      pushLimit: { requests: 3, seconds: 60 },
    });
    onTestFinished(() => serve.stop());
    const [one, two] = [await create(), await create()];
    const { url, key } = serve;
    const send = (id: string) => push(id, { id: "limits", rssi: -60 }, { url, key });
    for (let i = 0; i < 3; i++) expect((await send(one)).status).toBe(202);
    const refused = await send(one);
    expect([refused.status, refused.json.code]).toEqual([429, "rate_limited"]);
    expect(refused.headers.get("retry-after")).toMatch(/^\d+$/);
    expect((await send(two)).status).toBe(202);
  });

  test("that the log refuses is answered 503, leaves nothing behind, and may come again", async () => {
    const log = new FaultyLog(shared.engines.log);
    const serve = await startTestServe({ ...shared.engines, log });
    onTestFinished(() => serve.stop());
    const { url, key } = serve;
    const id = await create();
    const send = () => push(id, { id: "refused", rssi: -60 }, { url, key });
    log.refused.add("readings");
    expect(await send()).toMatchObject({ status: 503, json: { code: "pipeline_unavailable" } });
    const shown = await until("the source to be shown as paused", async () => {
      const source = z.looseObject({ state: z.string() }).parse(await statusOf(id));
      return source.state === "paused" ? source : null;
    });
    expect(shown).toMatchObject({ counters: { messages: 0, readings: 0 } });
    log.refused.clear();
    await until("it to be taken", async () => (await send()).status === 202);
    expect(await logged("refused")).toHaveLength(1);
  });
});

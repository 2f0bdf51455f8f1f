import { beforeAll, describe, expect, test } from "vitest";
import { SignalsCreated } from "../../schemas/signal.ts";
import { linePrefix, writeLine } from "../../src/domain/line-writer.ts";
import { readingsIn } from "../support/readings.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

const PATH = "/v1/alerts/rules/backtest";
const START = Date.UTC(2026, 0, 1);
const READINGS = 600_000;
const INSERT = 100_000;

const shared = sharedServe();
let body: object;

beforeAll(async () => {
  const { api } = shared.serve;
  const created = await api.expect(SignalsCreated, "POST", "/v1/signals", { name: "long", threshold: 0 });
  const id = created.signals[0]?.id ?? "";
  const block = new Uint8Array(INSERT * 64);
  for (let from = 0; from < READINGS; from += INSERT) {
    let at = 0;
    for (let i = from; i < from + INSERT; i++)
      at = writeLine(block, at, linePrefix(id), START + i * 1_000, -60 - (i % 30));
    await shared.engines.timeSeries.insertReadings(`long ${from}`, readingsIn([block.subarray(0, at)]));
  }
  const rule = { name: "r", select: { signalIds: [id] }, condition: { operator: "below", value: -100 } };
  body = { rule, from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" };
});

const metric = async (name: string): Promise<number> => {
  const { text } = await shared.engines.telemetry.metrics.expose();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
};
const running = (count: number) =>
  until(`${count} backtests to run`, async () =>
    (await metric("backtests_running")) === count ? true : null,
  );

/** One that takes seconds, and how to hang up on it. */
const begin = (url: string, authorization: Record<string, string>) => {
  const hangUp = new AbortController();
  const answered = fetch(url + PATH, {
    method: "POST",
    headers: { ...authorization, "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: hangUp.signal,
  });
  return { hangUp: () => hangUp.abort(), answered };
};
const beginOne = () => begin(shared.serve.url, shared.serve.api.authorization);

describe("a backtest of many readings", () => {
  test("ends as soon as nobody waits for it any more", async () => {
    const before = await metric("request_aborted_total");
    const { hangUp, answered } = beginOne();
    await running(1);
    hangUp();
    await expect(answered).rejects.toThrow();
    await until("it to end early", async () =>
      (await metric("request_aborted_total")) === before + 1 ? true : null,
    );
    await running(0);
  });

  test("leaves others their turn: what else is asked is answered meanwhile", async () => {
    const { hangUp, answered } = beginOne();
    await running(1);
    expect((await shared.serve.api.call("GET", "/v1/signals")).status).toBe(200);
    expect(await metric("backtests_running")).toBe(1);
    hangUp();
    await expect(answered).rejects.toThrow();
    await running(0);
  });

  test("is refused for now while two others run", async () => {
    const [one, other] = [beginOne(), beginOne()];
    await running(2);
    const { status, headers, body: problem } = await shared.serve.api.call("POST", PATH, body);
    expect({ status, problem }).toMatchObject({ status: 429, problem: { code: "rate_limited" } });
    expect(headers.get("retry-after")).toBe("5");
    for (const { hangUp, answered } of [one, other]) {
      hangUp();
      await expect(answered).rejects.toThrow();
    }
    await running(0);
  });

  test("ends with the service that runs it", async () => {
    const serve = await startTestServe(shared.engines);
    const { answered } = begin(serve.url, serve.api.authorization);
    await running(1);
    await serve.stop();
    const response = await answered;
    expect([response.status, await response.json()]).toMatchObject([503, { code: "pipeline_unavailable" }]);
    await running(0);
  });
});

import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Signal, SignalTestAnswer } from "../../schemas/signal.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { startEvaluate } from "../../src/evaluate/evaluate.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

let engines: TestEngines;
beforeAll(async () => {
  engines = await openTestEngines();
});
afterAll(() => engines.close());

const evaluating = async () => {
  const options = { ...engines, clock: systemClock, entropy: systemEntropy, settings: {} };
  const evaluate = await startEvaluate(options);
  onTestFinished(() => evaluate.stop());
  return evaluate;
};
const serving = async (settings: Parameters<typeof startTestServe>[1] = {}): Promise<TestServe> => {
  const serve = await startTestServe(engines, settings);
  onTestFinished(() => serve.stop());
  return serve;
};
const Created = z.object({ signals: z.tuple([Signal]) });
const createSignal = async ({ api }: TestServe, more: object): Promise<string> => {
  const body = { name: "s", threshold: 0.5, ...more };
  return (await api.expect(Created, "POST", "/v1/signals", body)).signals[0].id;
};

test("a test of any name goes through the real evaluator and says how long that took", async () => {
  await evaluating();
  const serve = await serving();
  const answers = ["any name", "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9", "ünï"].map((signalId) =>
    serve.api.expect(SignalTestAnswer, "POST", "/v1/signals/test", { signalId, strength: -75 }),
  );
  for (const answer of await Promise.all(answers)) {
    expect(answer).toMatchObject({ status: "connected", quality: 0.5, verdict: { known: false } });
    expect(answer.latency).toBeGreaterThan(0);
  }
});

test("a signal just made is tested as it was made", async () => {
  await evaluating();
  const serve = await serving();
  const signalId = await createSignal(serve, { floorDbm: -150, ceilingDbm: -50, threshold: 0.9 });
  const body = { signalId, strength: -75 };
  const answer = await serve.api.expect(SignalTestAnswer, "POST", "/v1/signals/test", body);
  expect(answer).toMatchObject({ quality: 0.75, verdict: { known: true, status: "failed" } });
});

test("the newest values come back from the evaluator's snapshot after a restart", async () => {
  const evaluate = await evaluating();
  const serve = await serving();
  const signalId = await createSignal(serve, {});
  const line = readingLine(signalId, systemClock.now(), -62.5);
  await engines.log.append("readings", [{ key: signalId, value: new TextEncoder().encode(line) }]);
  const strength = async ({ api }: TestServe) =>
    (await api.expect(Signal, "GET", `/v1/signals/${signalId}`)).strength;
  await until("the reading", async () => (await strength(serve)) === -62.5);
  await evaluate.stop();
  await serve.stop();
  // Topic live is empty for a service that starts long after.
  await engines.log.trim("live", 0, (await engines.log.bounds("live"))[0]?.end ?? 0);
  expect(await strength(await serving())).toBe(-62.5);
});

test("a pipeline that does not answer is a 503 that says so", async () => {
  const serve = await serving({ limits: { probeTimeoutMs: 50 } });
  const answer = await serve.api.call("POST", "/v1/signals/test", { signalId: "a", strength: -75 });
  expect(answer).toMatchObject({ status: 503, body: { code: "pipeline_unavailable" } });
});

test("a test that waits does not hold up the shutdown", async () => {
  const serve = await serving({ limits: { probeTimeoutMs: 60_000 } });
  const end = async () => (await engines.log.bounds("readings")).reduce((sum, bounds) => sum + bounds.end, 0);
  const before = await end();
  const asked = serve.api.call("POST", "/v1/signals/test", { signalId: "a", strength: -75 });
  await until("the probe to be in the log", async () => (await end()) > before);
  await serve.stop();
  expect(await asked).toMatchObject({ status: 503, body: { code: "pipeline_unavailable" } });
});

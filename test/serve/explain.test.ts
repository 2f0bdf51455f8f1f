import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AlertData } from "../../schemas/alert.ts";
import { type SignalId, SilenceId } from "../../schemas/common.ts";
import { ExplainAnswer } from "../../schemas/explain.ts";
import { RuleAnswer } from "../../schemas/rule.ts";
import { SignalsCreated } from "../../schemas/signal.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes, event } from "../support/rows.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";

const shared = sharedServe();
const START = Date.UTC(2026, 0, 31, 9);
const iso = (ms: number) => new Date(ms).toISOString();

let inserts = 0;
const make = async (strengths: readonly number[], of: object = {}) => {
  const { api } = shared.serve;
  const created = await api.expect(SignalsCreated, "POST", "/v1/signals", { name: "s", threshold: 0 });
  const signalId: SignalId | undefined = created.signals[0]?.id;
  if (signalId === undefined) throw new Error("not made");
  const lines = strengths.map((strength, i) => readingLine(signalId, START + i * 1_000, strength));
  await shared.engines.timeSeries.insertReadings(`explain ${inserts++}`, readingsIn([bytes(lines.join(""))]));
  const body = {
    name: "weak",
    select: { signalIds: [signalId] },
    condition: { operator: "below", value: -80 },
    ...of,
  };
  const { id: ruleId } = await api.expect(RuleAnswer, "POST", "/v1/alerts/rules", body);
  return { signalId, ruleId, path: `/v1/alerts/rules/${ruleId}/explain?signalId=${signalId}` };
};

describe("why a rule fires, or does not,", () => {
  test("is told of a moment in the past, by the readings up to then", async () => {
    const { path, ruleId, signalId } = await make([-60, -85, -60]);
    const at = iso(START + 1_500);
    const answer = await shared.serve.api.expect(ExplainAnswer, "GET", `${path}&at=${at}`);
    expect(answer).toMatchObject({ ruleId, signalId, at, outcome: "firing", live: null });
    expect(answer.readings.map(({ strength }) => strength)).toEqual([-60, -85]);
  });

  test("is told of now with what the evaluator says, or that it did not answer", async () => {
    // Nobody evaluates here: the question is given up soon.
    const serve = await startTestServe(shared.engines, { limits: { probeTimeoutMs: 50 } });
    try {
      const { path } = await make([-60, -85]);
      const answer = await serve.api.expect(ExplainAnswer, "GET", path);
      expect(answer).toMatchObject({
        outcome: "firing",
        live: { firing: false, alertId: null, since: null },
      });
      const live = answer.steps.filter(({ kind }) => kind === "live").map(({ text }) => text);
      expect(live).toEqual([
        "Live, no alert of the rule on the signal is stored.",
        "The evaluator did not answer: what waits in it is not known.",
        expect.stringContaining("Live differs from what the stored readings come to"),
      ]);
    } finally {
      await serve.stop();
    }
  });

  test("is told of now with why nobody heard of an alert", async () => {
    const serve = await startTestServe(shared.engines, { limits: { probeTimeoutMs: 50 } });
    try {
      const { path, signalId, ruleId } = await make([-60, -85]);
      const silencedBy = SilenceId.parse("sil_01JDA2V3Q8R5T7W9Y1B3D5F7H9");
      const at = START + 1_000;
      const alert = AlertData.parse({
        id: "alr_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
        ruleId,
        ruleName: "weak",
        severity: "warning",
        state: "firing",
        firedAt: iso(at),
        resolvedAt: null,
        value: -85,
        limit: -80,
      });
      const fired = event(1, { kind: "alert.firing", at, sequence: 2, data: { alert, silencedBy } });
      const { accountId, timeSeries } = shared.engines;
      await timeSeries.insertEvents("explained", [{ position: 1, accountId, signalId, event: fired }]);
      const { live, steps } = await serve.api.expect(ExplainAnswer, "GET", path);
      expect(live).toEqual({ firing: true, alertId: alert.id, since: iso(at) });
      const text = steps.map((step) => step.text).join("\n");
      expect(text).toContain(`the newest alert of the rule on the signal fires, since ${iso(at)}.`);
      expect(text).toContain(`Its event was delivered to nobody: ${silencedBy} silences it.`);
      expect(text).not.toContain("Live differs");
    } finally {
      await serve.stop();
    }
  });

  test("is told with the silence that covers it", async () => {
    const { path, signalId } = await make([-60, -85]);
    const until = iso(Date.now() + 3_600_000);
    const body = { select: { signalIds: [signalId] }, from: iso(START + 1_500), until, reason: "mast" };
    const { api } = shared.serve;
    const { id } = await api.expect(z.looseObject({ id: z.string() }), "POST", "/v1/alerts/silences", body);
    const during = await api.expect(ExplainAnswer, "GET", `${path}&at=${iso(START + 2_000)}`);
    expect(during.summary).toContain(`A silence covers it until ${until}`);
    const step = { kind: "silence", text: expect.stringContaining(`(${id}: mast)`) };
    expect(during.steps.at(-1)).toMatchObject(step);
    const before = await api.expect(ExplainAnswer, "GET", `${path}&at=${iso(START + 1_200)}`);
    expect(before).toMatchObject({ outcome: "firing" });
    expect(before.steps.map(({ kind }) => kind)).not.toContain("silence");
  });

  test("is told of the newest readings where there are many", async () => {
    const { path } = await make(Array.from({ length: 5_100 }, () => -60));
    const at = iso(START + 6_000_000);
    const { steps, readings } = await shared.serve.api.expect(ExplainAnswer, "GET", `${path}&at=${at}`);
    expect(readings).toHaveLength(20);
    const from = iso(START + 100_000);
    expect(steps.map(({ text }) => text).join()).toContain(
      `There are more than 5000 readings up to ${iso(START + 5_099_000)}. They are looked at from ${from} on`,
    );
  });

  test("is refused for what there is not, and for what is still to come", async () => {
    const { ruleId, signalId, path } = await make([-60]);
    const { api } = shared.serve;
    const unknown = "01JDA2V3Q8R5T7W9Y1B3D5F7H9";
    expect(
      await api.call("GET", `/v1/alerts/rules/rul_${unknown}/explain?signalId=${signalId}`),
    ).toMatchObject({
      status: 404,
      body: { detail: "there is no rule of this id" },
    });
    expect(await api.call("GET", `/v1/alerts/rules/${ruleId}/explain?signalId=sig_${unknown}`)).toMatchObject(
      {
        status: 404,
        body: { detail: `there is no signal sig_${unknown}` },
      },
    );
    expect(await api.call("GET", `/v1/alerts/rules/${ruleId}/explain`)).toMatchObject({
      status: 400,
      body: { errors: [{ path: "signalId" }] },
    });
    for (const at of ["2199-01-01T00:00:00Z", "now"])
      expect(await api.call("GET", `${path}&at=${at}`)).toMatchObject({
        status: 400,
        body: { errors: [{ path: "at" }] },
      });
  });
});

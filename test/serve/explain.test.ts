import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AlertData } from "../../schemas/alert.ts";
import { type SignalId, SilenceId } from "../../schemas/common.ts";
import type { EventData } from "../../schemas/event.ts";
import { ExplainAnswer } from "../../schemas/explain.ts";
import { Rule, RuleAnswer } from "../../schemas/rule.ts";
import { SignalsCreated } from "../../schemas/signal.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import { readingsIn } from "../support/readings.ts";
import { bytes, event, shownSignal } from "../support/rows.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { until } from "../support/until.ts";

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

let fired = 0;
/** As the evaluator tells that an alert fires, in what is stored. */
const fire = async (of: { signalId: SignalId; ruleId: string }, at: number, data: EventData = {}) => {
  const position = ++fired;
  const alert = AlertData.parse({
    id: `alr_01JDA2V3Q8R5T7W9Y1B3D5F7H${position}`,
    ruleId: of.ruleId,
    ruleName: "weak",
    severity: "warning",
    state: "firing",
    firedAt: iso(at),
    resolvedAt: null,
    value: -85,
    limit: -80,
  });
  const told = event(position, { kind: "alert.firing", at, sequence: 2, data: { alert, ...data } });
  const { accountId, timeSeries } = shared.engines;
  const row = { position, accountId, signalId: of.signalId, event: told };
  await timeSeries.insertEvents(`explained ${position}`, [row]);
  return alert;
};

describe("why a rule fires, or does not,", () => {
  test("is told of a moment in the past, by the readings up to then", async () => {
    const { path, ruleId, signalId } = await make([-60, -85, -60]);
    const at = iso(START + 1_500);
    const answer = await shared.serve.api.expect(ExplainAnswer, "GET", `${path}&at=${at}`);
    expect(answer).toMatchObject({ ruleId, signalId, at, outcome: "firing", live: null });
    expect(answer.summary).toMatch(new RegExp(`^It fired, from ${iso(START + 1_000)} on\\.`));
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
      const alert = await fire({ signalId, ruleId }, at, { silencedBy });
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

  test("is told of a past moment with what events told then, and that it differs where it does", async () => {
    const { api } = shared.serve;
    const { path, signalId, ruleId } = await make([-60, -85, -85, -60]);
    const silencedBy = SilenceId.parse("sil_01JDA2V3Q8R5T7W9Y1B3D5F7H9");
    const acknowledged = { at: iso(START + 1_800), by: "key_01JDA2V3Q8R5T7W9Y1B3D5F7H9", note: "on it" };
    const alert = AlertData.parse({
      id: "alr_01JDA2V3Q8R5T7W9Y1B3D5F7H8",
      ruleId,
      ruleName: "weak",
      severity: "warning",
      state: "firing",
      firedAt: iso(START + 1_010),
      resolvedAt: null,
      value: -85,
      limit: -80,
    });
    const { accountId, timeSeries } = shared.engines;
    const signal = shownSignal(signalId, START + 1_000);
    const told = [
      event(11, {
        kind: "alert.firing",
        at: START + 1_010,
        sequence: 2,
        data: { signal, alert, silencedBy },
      }),
      event(12, {
        kind: "alert.acknowledged",
        at: START + 1_800,
        sequence: 3,
        data: { signal, alert: { ...alert, acknowledged }, silencedBy },
      }),
    ];
    const rows = told.map((one, n) => ({ position: 11 + n, accountId, signalId, event: one }));
    await timeSeries.insertEvents("explained then", rows);
    const at = async (afterMs: number) =>
      api.expect(ExplainAnswer, "GET", `${path}&at=${iso(START + afterMs)}`);

    const taken = await at(2_000);
    expect(taken.stored).toEqual({
      firing: true,
      alertId: alert.id,
      since: iso(START + 1_800),
      severity: "warning",
      acknowledged,
      silencedBy,
      heldBy: null,
      differs: false,
    });
    const stored = taken.steps.filter(({ kind }) => kind === "stored").map(({ text }) => text);
    expect(stored).toEqual([
      `By the events stored, an alert fired as warning, −85 against the limit −80. The event was delivered to nobody: ${silencedBy} silenced it.`,
      `By the events stored, ${acknowledged.by} acknowledged the alert: "on it". The event was delivered to nobody: ${silencedBy} silenced it.`,
    ]);
    // It fired by the reading of that very moment, and was told 10 ms later.
    const first = await at(1_000);
    expect(first).toMatchObject({ outcome: "firing", stored: { firing: true, differs: false } });
    expect(first.steps.at(-1)?.text).toContain("Only 0.01 s after this moment");
    // Nothing ever told that it resolved.
    const after = await at(3_500);
    expect(after).toMatchObject({ outcome: "idle", stored: { firing: true, differs: true } });
    expect(after.summary).toContain("What was told differs: the rule fired then");
  });

  test("is told by the rule as it was at that moment, whatever became of it since", async () => {
    const { api } = shared.serve;
    const { path, ruleId } = await make([-60, -85, -85]);
    const then = new Date().toISOString();
    const rule = `/v1/alerts/rules/${ruleId}`;
    const first = await api.expect(Rule, "GET", rule);
    await until("the next millisecond", async () => new Date().toISOString() > then);
    const changed = await api.expect(RuleAnswer, "PATCH", rule, {
      name: "weaker",
      condition: { operator: "below", value: -95 },
    });
    const before = await api.expect(ExplainAnswer, "GET", `${path}&at=${then}`);
    expect(before).toMatchObject({ outcome: "firing", rule: first });
    expect(before.steps.map(({ text }) => text)).toContain(
      `The rule has been changed since, last at ${changed.updatedAt}: as it was before is told here.`,
    );
    const after = await api.expect(ExplainAnswer, "GET", `${path}&at=${changed.updatedAt}`);
    expect(after).toMatchObject({ outcome: "idle", rule: { name: "weaker", condition: { value: -95 } } });
  });

  test("is told with the silence that covers it", async () => {
    const { path, signalId } = await make([-60, -85]);
    const until = iso(Date.now() + 3_600_000);
    const body = { select: { signalIds: [signalId] }, from: iso(START + 1_500), until, reason: "mast" };
    const { api } = shared.serve;
    const { id } = await api.expect(z.looseObject({ id: z.string() }), "POST", "/v1/alerts/silences", body);
    const during = await api.expect(ExplainAnswer, "GET", `${path}&at=${iso(START + 2_000)}`);
    expect(during.summary).toContain(`A silence covered it then until ${until}`);
    const step = { kind: "silence", text: expect.stringContaining(`(${id}: mast)`) };
    expect(during.steps).toContainEqual(expect.objectContaining(step));
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

  test("is told from the reading that made it fire, however long ago, and that others are left out", async () => {
    const serve = await startTestServe(shared.engines, { limits: { probeTimeoutMs: 50 } });
    try {
      const between = Array.from({ length: 6_000 }, () => -78.5);
      const made = await make([-60, -90, ...between]);
      const alert = await fire(made, START + 1_020);
      const found = await serve.api.expect(ExplainAnswer, "GET", made.path);
      expect(found).toMatchObject({ outcome: "firing", live: { firing: true, alertId: alert.id } });
      expect(found.summary).toMatch(
        new RegExp(`^It fires, since ${iso(START + 1_000)}. The newest reading: −78.5 dBm; clears at`),
      );
      const texts = found.steps.map(({ text }) => text).join("\n");
      expect(texts).toContain(
        `those after ${iso(START + 1_000)} and before ${iso(START + 2_002_000)} are left out`,
      );
      expect(texts).toContain("It fires: −90 dBm is beyond −80 dBm.");
      expect(texts).not.toContain("differs");
      expect(found.readings.at(-1)).toMatchObject({ strength: -78.5, outcome: "fires" });
    } finally {
      await serve.stop();
    }
  });

  test("is told by the newest event where the readings that made it fire are not known", async () => {
    const serve = await startTestServe(shared.engines, { limits: { probeTimeoutMs: 50 } });
    try {
      const some = await make([-78.5, -78.5]);
      const many = await make(Array.from({ length: 5_100 }, () => -78.5));
      const none = await make([]);
      for (const made of [some, many, none]) {
        await fire(made, START - 5_000);
        const { outcome, summary } = await serve.api.expect(ExplainAnswer, "GET", made.path);
        expect(outcome).toBe("firing");
        expect(summary).toMatch(
          new RegExp(`^It fires, since ${iso(START - 5_000)}, as its newest event says`),
        );
        expect(summary.includes("older ones are not looked at")).toBe(made === many);
      }
      await serve.api.call("PATCH", `/v1/alerts/rules/${some.ruleId}`, { enabled: false });
      expect(await serve.api.expect(ExplainAnswer, "GET", some.path)).toMatchObject({ outcome: "disabled" });
    } finally {
      await serve.stop();
    }
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

import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { Rule, RuleAnswer } from "../../schemas/rule.ts";
import { sharedServe, startTestServe } from "../support/serve.ts";
import { openTestEngines } from "../support/serve-worker.ts";

const shared = sharedServe();
const BASE = "/v1/alerts/rules";
const aRule = (fields: object = {}) => ({
  name: "r",
  condition: { operator: "below", value: -75 },
  ...fields,
});
const levels = (...values: number[]) =>
  values.map((value, at) => ({ severity: ["info", "warning", "critical"][at], value }));
const inZone = (timeZone: string) => ({ timeZone, windows: [{ from: "08:00", to: "17:00" }] });
const NOBODY = "01JDA2V3Q8R5T7W9Y1B3D5F7H9";

describe("a rule that makes no sense is refused with the path of the mistake", () => {
  test.each([
    ["condition.value", { condition: { operator: "below", value: -300 } }],
    ["condition.value", { condition: { operator: "below", value: -200 } }],
    ["condition.value", { condition: { operator: "above", value: 50 } }],
    ["condition.value", { condition: { operator: "below", metric: "quality", value: 0 } }],
    ["condition.value", { condition: { operator: "above", metric: "quality", value: 1.2 } }],
    ["condition.value", { condition: { operator: "outside", value: -200, upper: 50 } }],
    ["condition.value", { condition: { operator: "change", value: 250, overSeconds: 60 } }],
    ["condition.value", { condition: { operator: "change", value: 0, overSeconds: 60 } }],
    ["condition.value", { condition: { operator: "below" } }],
    ["condition.overSeconds", { condition: { operator: "change", value: 6 } }],
    ["condition.overSeconds", { condition: { operator: "noData" } }],
    ["condition.overSeconds", { condition: { operator: "noData", overSeconds: 90_000 } }],
    ["condition.value", { condition: { operator: "noData", overSeconds: 60, value: -75 } }],
    ["forSeconds", { condition: { operator: "noData", overSeconds: 60 }, forSeconds: 5 }],
    ["condition.upper", { condition: { operator: "outside", value: -75, upper: -80 } }],
    ["condition.upper", { condition: { operator: "below", value: -75, upper: -50 } }],
    ["condition.hysteresis", { condition: { operator: "outside", value: -75, upper: -70, hysteresis: 3 } }],
    ["condition.hysteresis", { condition: { operator: "change", value: 6, overSeconds: 60, hysteresis: 7 } }],
    ["condition.hysteresis", { condition: { operator: "below", value: -75, hysteresis: -3 } }],
    ["condition.hysteresis", { condition: { operator: "change", value: 6, overSeconds: 60, hysteresis: 6 } }],
    ["condition.hysteresis", { condition: { operator: "below", value: -80, hysteresis: 250 } }],
    ["condition.hysteresis", { condition: { operator: "above", value: -180, hysteresis: 21 } }],
    [
      "condition.hysteresis",
      { condition: { operator: "below", metric: "quality", value: 0.4, hysteresis: 3 } },
    ],
    [
      "condition.hysteresis",
      { condition: { operator: "below", metric: "quality", valueFrom: { label: "q" }, hysteresis: 1.01 } },
    ],
    ["condition.hysteresis", { condition: { operator: "below", hysteresis: 122 }, levels: levels(-71, -75) }],
    ["condition.valueFrom.label", { condition: { operator: "below", valueFrom: { label: "a b" } } }],
    ["levels.1.value", { condition: { operator: "below" }, levels: levels(-80, -75) }],
    ["levels.1.value", { condition: { operator: "below" }, levels: levels(-80, -80) }],
    ["levels.1.value", { condition: { operator: "above" }, levels: levels(-75, -80) }],
    ["levels.1.value", { condition: { operator: "below" }, levels: levels(-80, -200) }],
    [
      "levels.0.value",
      { condition: { operator: "change", overSeconds: 60, hysteresis: 4 }, levels: levels(3, 9) },
    ],
    [
      "levels.1.severity",
      {
        condition: { operator: "below" },
        levels: levels(-80, -90).map((one) => ({ ...one, severity: "info" })),
      },
    ],
    ["levels", { condition: { operator: "below" }, levels: levels(-80) }],
    ["levels", { condition: { operator: "noData", overSeconds: 60 }, levels: levels(1, 2) }],
    ["condition.value", { levels: levels(-80, -90) }],
    ["schedule.timeZone", { schedule: inZone("Europe/Atlantis") }],
    ["schedule.timeZone", { schedule: inZone("+02:00") }],
    ["schedule.windows.0.to", { schedule: { timeZone: "UTC", windows: [{ from: "08:00", to: "25:00" }] } }],
    ["notify.webhookIds", { notify: { webhookIds: [] } }],
    ["select.sourceId", { select: { sourceId: "here" } }],
  ])("%s: %j", async (path, fields) => {
    const { status, body } = await shared.serve.api.call("POST", BASE, aRule(fields));
    expect([status, body]).toMatchObject([400, { code: "validation_failed", errors: [{ path }] }]);
  });

  test.each([
    { operator: "below", value: 49 },
    { operator: "below", value: 49, hysteresis: 3 },
    { operator: "above", metric: "quality", value: 0.02, hysteresis: 0.05 },
    { operator: "below", value: -80, hysteresis: 130 },
  ])("but not what clears at the edge of the range: %j", async (condition) => {
    const { status } = await shared.serve.api.call("POST", BASE, aRule({ condition }));
    expect(status).toBe(201);
  });

  test("also when only the stored rule and the patch together are one", async () => {
    const { api } = shared.serve;
    const { id } = await api.expect(RuleAnswer, "POST", BASE, aRule());
    const refused = await api.call("PATCH", `${BASE}/${id}`, { levels: levels(-80, -90) });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "condition.value" }] } });
    const patch = { condition: { operator: "below" }, levels: levels(-80, -90) };
    expect(await api.call("PATCH", `${BASE}/${id}`, patch)).toMatchObject({ status: 200, body: patch });
    expect((await api.expect(Rule, "GET", `${BASE}/${id}`)).levels).toEqual(levels(-80, -90));
  });
});

describe("a rule that likely means something else is taken with a warning", () => {
  let webhookId: string;
  beforeAll(async () => {
    const { api } = shared.serve;
    const body = { name: "s", threshold: 0.4, labels: { site: "north", limit: "-95" } };
    await api.call("POST", "/v1/signals", body);
    await api.call("POST", "/v1/signals", { ...body, labels: { site: "south" } });
    const webhook = { url: "https://example.org/hook", events: ["alert.firing"] };
    webhookId = (
      await api.expect(z.looseObject({ id: z.string() }), "POST", "/v1/integrations/webhooks", webhook)
    ).id;
  });

  const own = { operator: "below", valueFrom: { label: "limit" } };
  test.each<[string, string[], object]>([
    ["every signal", [], {}],
    ["signals that are there", [], { select: { labels: { site: "north" } } }],
    ["signals that are not there", ["select"], { select: { labels: { site: "nowhere" } } }],
    ["ids of nobody", ["select"], { select: { signalIds: [`sig_${NOBODY}`] } }],
    ["a source of nobody", ["select"], { select: { sourceId: `src_${NOBODY}` } }],
    ["text that no label has", ["select"], { select: { labels: { site: "\u0000" } } }],
    ["a limit of the signals' own", [], { condition: own, select: { labels: { site: "north" } } }],
    ["a limit that some have", ["condition.valueFrom.label"], { condition: own }],
    [
      "a limit that none of the selected has",
      ["condition.valueFrom.label"],
      { condition: own, select: { labels: { site: "south" } } },
    ],
    ["a limit of nobody", ["select"], { condition: own, select: { labels: { site: "nowhere" } } }],
    [
      "an upper limit that none has",
      ["condition.upperFrom.label"],
      { condition: { operator: "outside", value: -90, upper: -40, upperFrom: { label: "top" } } },
    ],
  ])("of %s", async (_, paths, fields) => {
    const made = await shared.serve.api.expect(RuleAnswer, "POST", BASE, aRule(fields));
    expect(made.warnings.map(({ path }) => path)).toEqual(paths);
    const patched = await shared.serve.api.expect(RuleAnswer, "PATCH", `${BASE}/${made.id}`, { name: "x" });
    expect(patched.warnings).toEqual(made.warnings);
    expect(await shared.serve.api.call("GET", `${BASE}/${made.id}`)).not.toHaveProperty("body.warnings");
  });

  test("of limits in labels, with how many signals lack one that can be used", async () => {
    const { api } = shared.serve;
    const labels = [
      { low: "-95", high: "-40" },
      { low: "-95.5", high: "-96" },
      { low: "-300", high: "none" },
      { low: "abc" },
      {},
    ];
    for (const one of labels)
      await api.call("POST", "/v1/signals", { name: "s", threshold: 0.4, labels: { fleet: "a", ...one } });
    const warned = async (condition: object) => {
      const rule = aRule({ select: { labels: { fleet: "a" } }, condition });
      return (await api.expect(RuleAnswer, "POST", BASE, rule)).warnings;
    };
    const [low, high] = [{ label: "low" }, { label: "high" }];
    const path = "condition.valueFrom.label";
    expect(await warned({ operator: "below", valueFrom: low })).toEqual([
      {
        path,
        message:
          "3 of 5 selected signals lack a limit that can be used in the label low: the rule rests on those",
      },
    ]);
    expect(await warned({ operator: "below", valueFrom: { label: "lo" }, value: -80 })).toEqual([
      {
        path,
        message:
          "none of the 5 selected signals has a limit that can be used in the label lo: all of them are held against -80",
      },
    ]);
    expect(await warned({ operator: "outside", valueFrom: low, upperFrom: high })).toEqual([
      { path, message: expect.stringContaining("3 of 5 selected signals lack") },
      { path: "condition.upperFrom.label", message: expect.stringContaining("3 of 5 selected signals lack") },
      { path, message: expect.stringContaining("1 of 5 selected signals have limits without a band") },
    ]);
  });

  test("of webhooks that are not there", async () => {
    const notify = { webhookIds: [webhookId, `whk_${NOBODY}`] };
    const { warnings } = await shared.serve.api.expect(RuleAnswer, "POST", BASE, aRule({ notify }));
    expect(warnings).toEqual([{ path: "notify.webhookIds.1", message: `there is no webhook whk_${NOBODY}` }]);
  });
});

test("an account has as many rules as it may have, and is told so beyond", async () => {
  const engines = await openTestEngines({ maxRules: 2 });
  onTestFinished(() => engines.close());
  const serve = await startTestServe(engines);
  onTestFinished(() => serve.stop());
  const made = [1, 2, 3].map(() => serve.api.call("POST", BASE, aRule()));
  const answers = (await Promise.all(made)).sort((a, b) => a.status - b.status);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 409]);
  expect(answers[2]?.body).toMatchObject({
    code: "conflict",
    detail: "the account has its limit of 2 rules: delete one, or raise MAX_RULES",
  });
});

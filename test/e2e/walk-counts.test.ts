import { describe, expect, it } from "vitest";
import { BACKTEST_STEPS_MAX, BacktestAnswer } from "../../schemas/backtest.ts";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { RuleAnswer } from "../../schemas/rule.ts";
import { SignalsCreated } from "../../schemas/signal.ts";
import { COUNTED, type Count, counted, RULES, SIGNAL } from "../data-counts/rules.ts";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { LineServer } from "../support/line-server.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";
import { walkLines } from "../support/walk.ts";

const MS = 60_000;
const { readings, firstAt, lastAt, counts } = COUNTED;
/** No longer than the capture: what waits behind its last reading is not counted. */
const SPAN = { from: new Date(firstAt).toISOString(), to: new Date(lastAt + 1).toISOString() };
const WALK = { name: "walk", threshold: 0, externalId: "008000000000ab75/ufjf-gw", noDataAfterSeconds: null };
const SOURCE = { type: "websocket", name: "walk", mapping: { preset: "ttn-v3" } };

/** Each change tells of itself, though the rule flap. */
const bodyOf = (name: string) => ({ name, ...RULES[name], failsSignal: false, flapDetection: false });

/** A service that has taken in the walk by its WebSocket, under all the rules. */
const walked = async (lines: readonly string[]) => {
  const environment = { DEMO: "false" };
  const options = { dataDirectory: await temporaryDirectory(), apiKey: newApiKey(), environment };
  const server = await LineServer.start(lines);
  const { api } = await startService(options);
  const made = await api.expect(SignalsCreated, "POST", "/v1/signals", { ...WALK, ...SIGNAL });
  const rules = new Map<string, string>();
  for (const name of Object.keys(RULES))
    rules.set(name, (await api.expect(RuleAnswer, "POST", "/v1/alerts/rules", bodyOf(name))).id);
  const source = { ...SOURCE, url: server.url };
  await api.call("POST", "/v1/integrations/sources", source);
  server.sendUpTo(lines.length);
  const id = made.signals[0]?.id ?? "";
  await until(
    "it all to be stored",
    async () => (await api.storedReadings(id, SPAN.from, SPAN.to)) >= readings,
    MS,
  );
  await api.caughtUp(MS);
  return { api, rules };
};

const HARDNESS = ["info", "warning", "critical"];

const tested = (api: Api, ruleId: string): Promise<BacktestAnswer> =>
  api.expect(BacktestAnswer, "POST", "/v1/alerts/rules/backtest", { ruleId, ...SPAN });

const countedIn = ({ firings, summary }: BacktestAnswer): Count => ({
  firings: summary.firings,
  resolved: firings.filter(({ to }) => to !== null).length,
  stepsUp: summary.stepsUp,
  stepsDown: summary.stepsDown,
});

/** What became of each alert, in order: its severities, the first of them one by one, with the values that made them. */
const coursesIn = ({ firings }: BacktestAnswer) =>
  firings.map(({ severity, steps, stepCount, to }) => ({
    hardest: severity,
    stepCount,
    steps: steps.map((step) => [step.severity, step.previousSeverity, step.value]),
    isOver: to !== null,
  }));

const coursesOf = (events: readonly SignalServiceEvent[]) => {
  const alerts = events.flatMap(({ data: { alert } }) => (alert === undefined ? [] : [alert]));
  return [...Map.groupBy(alerts, ({ id }) => id).values()].map((told) => {
    const severities = told.map(({ severity }) => HARDNESS.indexOf(severity));
    const steps = told.flatMap(({ severity, previousSeverity: before, value }) =>
      before === undefined ? [] : [[severity, before, value]],
    );
    return {
      hardest: HARDNESS[Math.max(...severities)],
      stepCount: steps.length,
      steps: steps.slice(0, BACKTEST_STEPS_MAX),
      isOver: told.some(({ state }) => state === "resolved"),
    };
  });
};

const waits = (name: string) => (RULES[name]?.forSeconds ?? 0) > 0;

describe.skipIf(walkLines() === null)("rules on a real walk, where present", () => {
  it("fire in a backtest as often as an independent script counts, and as they did live", async () => {
    const { api, rules } = await walked(walkLines() ?? []);
    const events = await api.events({ event: ["alert.firing", "alert.resolved"] });
    for (const [name, ruleId] of rules) {
      const found = await tested(api, ruleId);
      expect({ [name]: countedIn(found) }).toEqual({ [name]: counts[name] });
      expect(found.summary.readings).toBe(readings);
      // Live, a wait ends by the clock of the machine too, however fast the capture is sent.
      if (waits(name)) continue;
      const live = events.filter(({ data }) => data.alert?.ruleId === ruleId);
      expect({ [name]: counted(live) }).toEqual({ [name]: counts[name] });
      expect({ [name]: coursesIn(found) }).toEqual({ [name]: coursesOf(live) });
    }
  }, 300_000);
});

import { RULE } from "./alerts.ts";
import type { Operations } from "./operation.ts";

const SIGNAL_ID = "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9";

const RULE_ID = "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9";

/** A rule on what is past, and why it does what it does. */
export const BACKTEST: Operations = {
  "POST /v1/alerts/rules/backtest": {
    id: "backtestRule",
    tag: "Alerts",
    summary: "Try a rule on the past",
    description:
      "Says when the rule would have fired, had it been there: the evaluator itself goes over the stored readings of all signals that the rule selects, with nothing but this rule, and by the readings' own times. Nothing is stored, nobody is notified. Silences do not matter here: they keep alerts from being delivered, not from firing. At most 10,000 signals, 10,000,000 readings and 25 seconds; what was left out, or may have been otherwise live, stands in `approximated`.",
    body: {
      rule: {
        name: "weak",
        condition: { operator: "below", hysteresis: 3 },
        levels: [
          { severity: "warning", value: -75 },
          { severity: "critical", value: -90 },
        ],
      },
      from: "2026-01-01T00:00:00Z",
      to: "2026-01-31T00:00:00Z",
    },
    answer: {
      200: {
        from: "2026-01-01T00:00:00.000Z",
        to: "2026-01-31T00:00:00.000Z",
        firings: [
          {
            signalId: SIGNAL_ID,
            from: "2026-01-12T03:10:04.000Z",
            to: "2026-01-12T03:41:17.000Z",
            severity: "critical",
            worst: -93.5,
            steps: [
              {
                at: "2026-01-12T03:22:31.000Z",
                severity: "critical",
                previousSeverity: "warning",
                value: -91,
              },
            ],
            stepCount: 1,
          },
        ],
        summary: {
          firings: 13,
          severities: { info: 0, warning: 12, critical: 1 },
          stepsUp: 1,
          stepsDown: 0,
          signals: 1,
          selected: 1,
          readings: 2_592_000,
          flapping: [
            {
              signalId: SIGNAL_ID,
              changes: 26,
              remedies: [
                { change: { hysteresis: 5 }, changes: 4 },
                { change: { forSeconds: 30 }, changes: 2 },
              ],
            },
          ],
        },
        approximated: [
          "Every reading is taken as if it had come at its own time: live, one that comes late is stored but not evaluated, and an alert that waits is told up to a second later.",
        ],
        warnings: [],
      },
    },
    errors: ["not_found", "pipeline_unavailable"],
  },
  "GET /v1/alerts/rules/:id/explain": {
    id: "explainRule",
    tag: "Alerts",
    summary: "Explain a rule on a signal",
    description:
      "Why the rule fires on the signal, or does not, now or at another moment: the evaluator goes over the newest 5,000 readings up to then, and everything that happened on the way is told in order, with what was compared, with which limit, what waits since when, and what ended a wait. A rule that is disabled, does not select the signal, or has nothing to compare, says so. Of now, what the running evaluator holds stands beside it, and an alert that fires by its newest event is said to fire: where it began before those readings, the ones that made it fire are gone through too, and those between are left out. Of another moment, the rule is taken as it was then (its newest 100 changes are kept), and what the events of that time told stands beside it (who had acknowledged it, what a silence held back), and whether that differs, as it does when readings came late.",
    answer: {
      200: {
        ruleId: RULE_ID,
        signalId: SIGNAL_ID,
        at: "2026-01-31T09:30:00.000Z",
        rule: RULE,
        outcome: "pending",
        summary:
          "It does not fire yet: it is pending since 2026-01-31T09:29:48.000Z, 12 s of 30 s. The newest reading: −78 dBm; fires below −75 dBm after 30 s.",
        steps: [
          {
            kind: "selection",
            at: null,
            text: "The rule looks at the signal: it selects it by its label site: north.",
          },
          {
            kind: "readings",
            at: null,
            text: "There are 3 readings up to 2026-01-31T09:29:58.000Z.",
          },
          {
            kind: "pending",
            at: "2026-01-31T09:29:48.000Z",
            until: "2026-01-31T09:30:18.000Z",
            text: "It is pending: the reading of −77.5 dBm is beyond the limit, and has to be for 30 s.",
          },
          { kind: "live", at: null, text: "Live, no alert of the rule on the signal is stored." },
        ],
        readings: [
          {
            at: "2026-01-31T09:29:58.000Z",
            strength: -78,
            outcome: "pending",
            text: "−78 dBm; fires below −75 dBm after 30 s",
          },
        ],
        stored: null,
        live: { firing: false, alertId: null, since: null },
      },
    },
  },
};

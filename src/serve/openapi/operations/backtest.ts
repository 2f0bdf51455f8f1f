import type { Operations } from "./operation.ts";

const SIGNAL_ID = "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9";

/** A rule on what is past. */
export const BACKTEST: Operations = {
  "POST /v1/alerts/rules/backtest": {
    id: "backtestRule",
    tag: "Alerts",
    summary: "Try a rule on the past",
    description:
      "Says when the rule would have fired, had it been there: the evaluator itself goes over the stored readings of all signals that the rule selects, with nothing but this rule, and by the readings' own times. Nothing is stored, nobody is notified. Silences do not matter here: they keep alerts from being delivered, not from firing. At most 10,000 signals, 10,000,000 readings and 25 seconds; what was left out, or may have been otherwise live, stands in `approximated`.",
    body: {
      rule: { name: "weak", condition: { operator: "below", value: -75, hysteresis: 3 } },
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
            worst: -83.5,
          },
        ],
        summary: {
          firings: 13,
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
      },
    },
    errors: ["not_found", "pipeline_unavailable"],
  },
};

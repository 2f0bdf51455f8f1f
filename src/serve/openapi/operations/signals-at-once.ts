import { SIGNAL } from "./examples.ts";
import type { Operations } from "./operation.ts";

const ANALYSIS = {
  signalId: SIGNAL.id,
  from: "2026-01-30T09:00:00.000Z",
  to: "2026-01-31T09:00:00.000Z",
  count: 1440,
  strength: { min: -84.5, max: -61, mean: -72.3, stddev: 3.1, p5: -80, p50: -72, p95: -67 },
  quality: { mean: 0.554, min: 0.31 },
  availability: 0.982639,
  failures: {
    count: 9,
    totalSeconds: 1500,
    longestSeconds: 420,
    mttrSeconds: 166.667,
    mtbfSeconds: 9433.333,
  },
  trendDbPerHour: -0.021,
  gaps: [{ from: "2026-01-30T17:04:00.000Z", to: "2026-01-30T17:21:00.000Z" }],
  anomalies: [{ at: "2026-01-30T19:12:00.000Z", strength: -84.5, score: -3.94 }],
  series: {
    step: "5m",
    buckets: [{ at: "2026-01-30T09:00:00.000Z", count: 5, min: -72.5, max: -69, mean: -70.8 }],
  },
  recommendations: [
    {
      kind: "hysteresis",
      message: "These readings fail the signal 9 times; with a hysteresis of 0.1 instead of 0.05, once.",
      change: { hysteresis: 0.1 },
      events: { before: 18, after: 2 },
    },
  ],
};

export const SIGNALS_AT_ONCE: Operations = {
  "POST /v1/signals/analyze": {
    id: "analyzeSignals",
    tag: "Signals",
    summary: "Analyse signals or readings",
    description:
      "What stored history, or readings sent along, hold: statistics, availability and failures, trend, gaps, anomalies, a series, and what the data recommend to change. Failures of stored history come from the signal's events; those of readings sent along from judging them as the service would have. Against flapping, each recommendation has been tried by the evaluator on these readings.",
    body: {
      signalIds: [SIGNAL.id],
      from: "2026-01-30T09:00:00Z",
      to: "2026-01-31T09:00:00Z",
      step: "auto",
    },
    answer: { 200: { analyses: [ANALYSIS] } },
    errors: ["not_found"],
  },
  "POST /v1/signals/batch": {
    id: "batchSignals",
    tag: "Signals",
    summary: "Do up to 10,000 operations at once",
    description:
      "Operations are `create`, `update` and `delete` with the fields of those calls, the latter two with `signalId`; `report`, a reading of the signal named by `signalId` or `externalId`, durable when answered; and `analyze`. As JSON, or as `application/x-ndjson` with an operation a line (blank lines do not count) and `?atomic=true` in place of the field. Analyses come first, of what was there before; then all changes, in their order and in one transaction; then the reports. Each operation has its own result. Analyses are of 100 signals in all; those that come after are refused. An atomic batch does all or nothing: one bad operation refuses it with every error. When only the log is not available, its changes are made and the answer is 503: report the readings again, or repeat the batch under its Idempotency-Key: its changes are made once, and a repetition only reports. Readings that are reported again may stand twice. `analyze` needs the scope `read`, too.",
    body: {
      operations: [
        { operation: "create", name: "roof antenna", threshold: 0.4 },
        { operation: "update", signalId: SIGNAL.id, threshold: 0.5 },
        { operation: "report", externalId: "mast-7", strength: -61.5, at: "2026-01-31T09:30:00Z" },
      ],
      atomic: false,
    },
    takes: {
      "application/x-ndjson":
        '{"operation":"create","name":"roof antenna","threshold":0.4}\n{"operation":"report","externalId":"mast-7","strength":-61.5}\n',
    },
    answer: {
      200: {
        results: [
          { index: 0, status: "ok", signal: SIGNAL },
          {
            index: 1,
            status: "error",
            error: { code: "not_found", detail: "there is no signal of this id" },
          },
          { index: 2, status: "ok", accepted: true },
        ],
        summary: { ok: 2, failed: 1 },
      },
    },
    errors: ["batch_refused"],
  },
};

import type { ProblemCode } from "../../../schemas/problem.ts";
import { WEBHOOK_OPERATIONS } from "./webhook-operations.ts";

/** What the document says of a route beside its schemas. */
export interface Operation {
  /** A program's name for it. */
  readonly id: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly description: string;
  /** A body that may be sent. */
  readonly body?: unknown;
  /** Bodies that no schema of ours describes, beside those that one does: an example of each media type. */
  readonly takes?: Readonly<Record<string, unknown>>;
  /** An answer, by its status. */
  readonly answer?: Readonly<Record<number, unknown>>;
  /** The media type of an answer that no schema of ours describes: text, or an object of JSON. */
  readonly gives?: string;
  /** Beyond those that its method and its path bring along. */
  readonly errors?: readonly ProblemCode[];
  /** A POST that takes no Idempotency-Key. */
  readonly plain?: true;
  /** What it answers with is no HTTP. */
  readonly opens?: "websocket";
}

export const TAGS = {
  Signals: "What is monitored: one series of strengths each, with its quality, its status and its history.",
  Sources: "Where readings come from.",
  Alerts: "Rules that say when a signal has failed.",
  Webhooks: "Events sent to endpoints of yours: signed, in order, tried again, seen.",
  Events: "What happened to signals and sources, in order; as pages, and as a live stream.",
  Keys: "API keys.",
  Service: "How the service itself is.",
} as const;
export type Tag = keyof typeof TAGS;

const SIGNAL = {
  id: "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "roof antenna",
  threshold: 0.4,
  externalId: null,
  labels: { site: "north" },
  floorDbm: -100,
  ceilingDbm: -50,
  hysteresis: 0.05,
  noDataAfterSeconds: 300,
  status: "active",
  sourceId: null,
  strength: -61.5,
  quality: 0.77,
  lastReadingAt: "2026-01-31T09:30:00.000Z",
  reasons: [],
  sequence: 3,
  createdAt: "2026-01-30T08:00:00.000Z",
  updatedAt: "2026-01-30T08:00:00.000Z",
};
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
const RULE_BODY = {
  name: "weak",
  select: { labels: { site: "north" } },
  condition: { operator: "below", value: -75, hysteresis: 3 },
  forSeconds: 30,
};
const RULE = {
  id: "rul_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "weak",
  enabled: true,
  severity: "warning",
  select: { labels: { site: "north" } },
  condition: { metric: "strength", operator: "below", value: -75, hysteresis: 3 },
  forSeconds: 30,
  keepFiringForSeconds: 0,
  failsSignal: true,
  createdAt: "2026-01-30T08:00:00.000Z",
  updatedAt: "2026-01-30T08:00:00.000Z",
};
const SOURCE_BODY = { type: "websocket", name: "gateway", url: "wss://feed.example/signals" };
const SOURCE = {
  id: "src_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "demo",
  type: "simulator",
  enabled: true,
  unknownSignals: "create",
  defaults: {
    threshold: 0.2,
    labels: {},
    floorDbm: -100,
    ceilingDbm: -50,
    hysteresis: 0.05,
    noDataAfterSeconds: 300,
  },
  signals: 20,
  readingsPerSecond: 20,
  seed: 1,
  scenario: "outages",
  state: "connected",
  stateReason: null,
  lastMessageAt: "2026-01-31T09:30:00.000Z",
  counters: { messages: 1200, readings: 1200, skipped: 0, rejected: 0, reconnects: 0 },
  createdAt: "2026-01-30T08:00:00.000Z",
  updatedAt: "2026-01-30T08:00:00.000Z",
};
const SOURCE_TEST = {
  connected: true,
  reason: null,
  durationMs: 10_000,
  handshake: [{ step: 1, expect: "welcome", ok: true, came: '{"type":"welcome"}' }],
  messages: [
    {
      payload: '{"id":"mast-7","rssi":-61.5,"at":"2026-01-31T09:30:00Z"}',
      mapped: 1,
      skipped: 0,
      rejected: 0,
      readings: [{ signal: "mast-7", at: "2026-01-31T09:30:00.000Z", strength: -61.5 }],
      rejections: [],
    },
  ],
};
const EVENT = {
  event: "signal.failed",
  id: "evt_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  type: "signal.failed",
  createdAt: "2026-01-31T09:30:00.000Z",
  apiVersion: "v1",
  sequence: 4,
  data: { signal: { ...SIGNAL, status: "failed", sequence: 4 }, previous: { status: "active" } },
};
const KEY = {
  id: "key_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
  name: "dashboard",
  prefix: "sos_Ab12",
  scopes: ["read"],
  createdAt: "2026-01-30T08:00:00.000Z",
  expiresAt: null,
  lastUsedAt: null,
};

/** Every route by its method and path; a test fails where one is missing. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...WEBHOOK_OPERATIONS,
  "POST /v1/signals": {
    id: "createSignal",
    tag: "Signals",
    summary: "Create a signal",
    description:
      "`threshold` is compared with the quality of each reading, from 0 to 1. Signals that a source sends are made by themselves.",
    body: { name: "roof antenna", threshold: 0.4, labels: { site: "north" } },
    answer: {
      201: { signals: [{ ...SIGNAL, strength: null, quality: null, lastReadingAt: null, sequence: 0 }] },
    },
    errors: ["conflict"],
  },
  "GET /v1/signals": {
    id: "listSignals",
    tag: "Signals",
    summary: "List signals",
    description:
      "With their newest strengths; filtered by status, labels (all must match, so that one key with two values matches none) or a part of their names.",
    answer: { 200: { signals: [SIGNAL], nextCursor: null } },
  },
  "GET /v1/signals/:id": {
    id: "getSignal",
    tag: "Signals",
    summary: "Get a signal",
    description: "With its newest strength. Its ETag changes with its settings, never with a reading.",
    answer: { 200: SIGNAL },
  },
  "PATCH /v1/signals/:id": {
    id: "updateSignal",
    tag: "Signals",
    summary: "Change a signal",
    description:
      "What is not named stays as it is. `status` pauses it (`paused`) and lets it go on (`active`).",
    body: { threshold: 0.5, status: "paused" },
    answer: { 200: { ...SIGNAL, threshold: 0.5, status: "paused" } },
    errors: ["conflict"],
  },
  "DELETE /v1/signals/:id": {
    id: "deleteSignal",
    tag: "Signals",
    summary: "Delete a signal",
    description:
      "Its readings stay until their retention ends. A source that still sends its name makes a new one.",
  },
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
  "POST /v1/signals/test": {
    id: "testSignal",
    tag: "Signals",
    summary: "Ask what a strength would do",
    description:
      "Sends a probe the way of a reading, through the event log and the evaluator and back; `latency` is how long that took, in milliseconds. Nothing is stored and nothing is told. A `signalId` that is not known is judged by the defaults.",
    body: { signalId: "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9", strength: -61.5 },
    answer: {
      200: {
        status: "connected",
        latency: 4.2,
        signalId: "sig_01JDA2V3Q8R5T7W9Y1B3D5F7H9",
        quality: 0.77,
        verdict: { known: true, status: "active", conditions: [] },
      },
    },
  },
  "GET /v1/signals/:id/readings": {
    id: "listReadings",
    tag: "Signals",
    summary: "Get the history of a signal",
    description:
      "Oldest first: single readings (`raw`), or buckets. Without `step` one is chosen that fits the span.",
    answer: {
      200: {
        step: "raw",
        readings: [{ at: "2026-01-31T09:30:00.000Z", strength: -61.5, quality: 0.77 }],
        nextCursor: null,
      },
    },
  },
  "POST /v1/integrations/sources": {
    id: "createSource",
    tag: "Sources",
    summary: "Add a source",
    description:
      "It is connected at once. Headers, what is sent at the handshake, and the query of its address are never shown again.",
    body: SOURCE_BODY,
    answer: { 201: SOURCE },
  },
  "GET /v1/integrations/sources": {
    id: "listSources",
    tag: "Sources",
    summary: "List sources",
    description: "With their state, why it is so, and what has come of each.",
    answer: { 200: { sources: [SOURCE], nextCursor: null } },
  },
  "GET /v1/integrations/sources/:id": {
    id: "getSource",
    tag: "Sources",
    summary: "Get a source",
    description: "With its state, why it is so, and what has come of it.",
    answer: { 200: SOURCE },
  },
  "PATCH /v1/integrations/sources/:id": {
    id: "updateSource",
    tag: "Sources",
    summary: "Change a source",
    description: "What is not named stays as it is, secrets included. It is connected anew.",
    body: { enabled: false },
    answer: { 200: { ...SOURCE, enabled: false, state: "disabled" } },
  },
  "DELETE /v1/integrations/sources/:id": {
    id: "deleteSource",
    tag: "Sources",
    summary: "Remove a source",
    description: "The signals that it made stay.",
  },
  "GET /v1/integrations/sources/:id/rejections": {
    id: "listRejections",
    tag: "Sources",
    summary: "See what could not be mapped",
    description:
      "The newest first: what came, and why no reading was made of it. At most ten a second are kept, and the newest 1,000.",
    answer: {
      200: {
        rejections: [
          {
            at: "2026-01-31T09:30:00.000Z",
            reason: "strength_not_a_number",
            detail: "$.rssi is no number",
            payload: '{"id":"a","rssi":"weak"}',
          },
        ],
        nextCursor: null,
      },
    },
  },
  "POST /v1/integrations/sources/test": {
    id: "testSource",
    tag: "Sources",
    summary: "Try a source before it is saved",
    description:
      "Connects for up to ten seconds and shows how far the handshake came, up to 20 messages as they are, and what each maps to or why it does not. Nothing is stored: no signal is made, and no reading. A source that does not connect is answered as well, with the reason.",
    body: SOURCE_BODY,
    answer: { 200: SOURCE_TEST },
  },
  "POST /v1/integrations/sources/:id/test": {
    id: "testSavedSource",
    tag: "Sources",
    summary: "Try a source as it is saved",
    description:
      "As before it was saved, with the secrets that are kept for it, on a connection of its own beside the one that runs.",
    answer: { 200: SOURCE_TEST },
    errors: ["validation_failed"],
  },
  "POST /v1/integrations/sources/:id/rejections/retry": {
    id: "retryRejections",
    tag: "Sources",
    summary: "Try again what could not be mapped",
    description:
      "Runs the kept rejections through the mapping of today, each with the time at which it came; of a message that was mapped in part, only the part that was not. Answered when the readings are durable; what became a reading, or is of another kind, is a rejection no more. A message of more than 4 kB is not kept in whole and stays. A retry that is repeated after a crash may store readings again.",
    answer: { 200: { retried: 12, readings: 11, remaining: 1 } },
    errors: ["conflict"],
  },
  "POST /v1/integrations/sources/:id/push": {
    id: "pushToSource",
    tag: "Sources",
    summary: "Push readings to a source",
    description:
      "Takes what the sender sends, such as a webhook of The Things Stack or ChirpStack: a JSON document, an array, or JSON a line (at most 50,000). It goes through the source's mapping, and is answered when every reading is durable in the log. What cannot be mapped is kept among the source's rejections and spoils nothing else. When the log cannot take readings the answer is 503, and nothing of the request is kept, unless the log failed in the middle: then send it again, and what was stored is stored again. So it may be with a request that is repeated under its Idempotency-Key after a crash.",
    takes: {
      "application/json": { id: "mast-7", rssi: -61.5, at: "2026-01-31T09:30:00Z" },
      "application/x-ndjson": '{"id":"mast-7","rssi":-61.5}\n{"id":"mast-8","rssi":-70}\n',
    },
    answer: {
      202: {
        accepted: 1,
        skipped: 0,
        rejected: 1,
        rejections: [{ reason: "no_strength", detail: "none of strength, rssi, dbm" }],
      },
    },
    errors: ["conflict"],
  },
  "POST /v1/alerts/rules": {
    id: "createRule",
    tag: "Alerts",
    summary: "Add a rule",
    description: "It watches from the next reading on. Without `select` it watches every signal.",
    body: RULE_BODY,
    answer: { 201: RULE },
  },
  "GET /v1/alerts/rules": {
    id: "listRules",
    tag: "Alerts",
    summary: "List rules",
    description: "In the order in which they were made.",
    answer: { 200: { rules: [RULE], nextCursor: null } },
  },
  "GET /v1/alerts/rules/:id": {
    id: "getRule",
    tag: "Alerts",
    summary: "Get a rule",
    description: "As it stands now.",
    answer: { 200: RULE },
  },
  "PATCH /v1/alerts/rules/:id": {
    id: "updateRule",
    tag: "Alerts",
    summary: "Change a rule",
    description:
      "What is not named stays as it is; `condition` and `select` are replaced as a whole. Its alerts are judged anew.",
    body: { forSeconds: 60 },
    answer: { 200: { ...RULE, forSeconds: 60 } },
  },
  "DELETE /v1/alerts/rules/:id": {
    id: "deleteRule",
    tag: "Alerts",
    summary: "Delete a rule",
    description: "Its alerts are resolved.",
  },
  "GET /v1/events": {
    id: "listEvents",
    tag: "Events",
    summary: "List events",
    description:
      "In the order in which they happened, complete: after an event, or from a cursor, or from the first one kept.",
    answer: { 200: { events: [EVENT], nextCursor: null } },
  },
  "GET /v1/events/samples": {
    id: "listEventSamples",
    tag: "Events",
    summary: "Get made-up events",
    description: "One of each kind, as they come by webhook: for those who build what takes them.",
    answer: { 200: { events: [EVENT] } },
  },
  "GET /v1/events/stream": {
    id: "streamEvents",
    tag: "Events",
    summary: "Follow events (server-sent events)",
    description:
      "From now on, after an event (`after`, or `Last-Event-ID` as a browser sends it when it reconnects), or from a time. Each has its id and its kind; a comment every few seconds keeps the connection open.",
    gives: "text/event-stream",
    answer: {
      200: `event: signal.failed\nid: ${EVENT.id}\ndata: ${JSON.stringify(EVENT)}\n\n`,
    },
  },
  "GET /v1/stream": {
    id: "openStream",
    tag: "Events",
    summary: "Open the live stream (WebSocket)",
    description:
      'Newest values and events as they happen. After the upgrade send `{"type":"subscribe","id":"a","readings":{"signalIds":"all"},"events":{}}`; resume events with `after`. At most 20 subscriptions that name 20,000 signals, 20 messages a second, 1 MiB each.',
    opens: "websocket",
    errors: ["rate_limited"],
  },
  "POST /v1/stream/tickets": {
    id: "createStreamTicket",
    tag: "Events",
    summary: "Get a ticket for a browser's stream",
    description: "Good once, for 30 seconds.",
    answer: {
      201: { ticket: "tkt_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX", expiresAt: "2026-01-31T09:30:30.000Z" },
    },
  },
  "POST /v1/api-keys": {
    id: "createApiKey",
    tag: "Keys",
    summary: "Make an API key",
    description: "The answer is the only one that holds the key itself.",
    body: { name: "dashboard", scopes: ["read"] },
    answer: { 201: { ...KEY, key: "sos_Ab12…" } },
  },
  "GET /v1/api-keys": {
    id: "listApiKeys",
    tag: "Keys",
    summary: "List API keys",
    description: "With when they were last used; never the keys themselves.",
    answer: { 200: { apiKeys: [KEY], nextCursor: null } },
  },
  "DELETE /v1/api-keys/:id": {
    id: "revokeApiKey",
    tag: "Keys",
    summary: "Revoke an API key",
    description: "It works no more, and its streams are closed, within 5 seconds everywhere.",
  },
  "GET /v1/status": {
    id: "getStatus",
    tag: "Service",
    summary: "See how fast the log grows, and how far each stage is behind",
    description: "And how many sources are in which state.",
    answer: {
      200: {
        version: "0.1.0",
        startedAt: "2026-01-31T09:00:00.000Z",
        logId: "01JDA2V3Q8R5T7W9Y1B3D5F7H9",
        stages: [{ stage: "evaluate", topic: "readings", lag: 0 }],
        rates: { overSeconds: 60, readingRecordsPerSecond: 12.5, eventsPerSecond: 0.2 },
        streamClients: 2,
        sources: { connected: 1 },
      },
    },
  },
  "GET /v1/openapi.json": {
    id: "getOpenApi",
    tag: "Service",
    summary: "Get this document",
    description: "OpenAPI 3.1.",
    gives: "application/json",
    answer: { 200: { openapi: "3.1.0", info: { title: "Signal Optimization Service", version: "0.1.0" } } },
  },
  "GET /": {
    id: "hello",
    tag: "Service",
    summary: "Find the way",
    description: "What this is, and where things are.",
    answer: {
      200: {
        service: "Signal Optimization Service",
        version: "0.1.0",
        links: { signals: "/v1/signals" },
        hint: "Send your API key with every call under /v1: Authorization: Bearer <API_KEY>",
      },
    },
  },
  "GET /health/live": {
    id: "isLive",
    tag: "Service",
    summary: "Whether the process answers",
    description: "For probes that start it again.",
    answer: { 200: { status: "ok" } },
  },
  "GET /health/ready": {
    id: "isReady",
    tag: "Service",
    summary: "Whether each part is well",
    description: "503 when one is down: each with its state and what to do.",
    answer: {
      200: { status: "ok", parts: [{ name: "event-log", state: "ok", detail: null }] },
      503: {
        status: "down",
        parts: [{ name: "event-log", state: "down", detail: "the disk is full: make room" }],
      },
    },
  },
  "GET /metrics": {
    id: "getMetrics",
    tag: "Service",
    summary: "Metrics for Prometheus",
    description: "From this machine without a key, else with one of scope `admin`.",
    gives: "text/plain",
    answer: { 200: "# TYPE serve_stream_clients gauge\nserve_stream_clients 2\n" },
  },
};

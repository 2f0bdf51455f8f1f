import type { Operations } from "./operation.ts";

export const SERVICE: Operations = {
  "GET /v1/status": {
    id: "getStatus",
    tag: "Service",
    summary: "See how many readings come, and how far each stage is behind",
    description: "And how many sources are in which state.",
    answer: {
      200: {
        version: "0.1.0",
        startedAt: "2026-01-31T09:00:00.000Z",
        logId: "01JDA2V3Q8R5T7W9Y1B3D5F7H9",
        stages: [{ stage: "evaluate", topic: "readings", lag: 0 }],
        rates: {
          overSeconds: 60,
          readingsPerSecond: { accepted: 1250.4, evaluated: 1250.1, stored: 1249.8 },
          readingRecordsPerSecond: 12.5,
          eventsPerSecond: 0.2,
        },
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

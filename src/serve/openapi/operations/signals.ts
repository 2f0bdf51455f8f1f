import { SIGNAL } from "./examples.ts";
import type { Operations } from "./operation.ts";

export const SIGNALS: Operations = {
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
      "With their newest strengths; filtered by status, labels (all must match, so that one key with two values matches none), the source that has made them, or a part of their names.",
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
};

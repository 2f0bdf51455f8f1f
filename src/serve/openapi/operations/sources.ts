import { SOURCE_BODY } from "./examples.ts";
import type { Operations } from "./operation.ts";

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

export const SOURCES: Operations = {
  "POST /v1/integrations/sources": {
    id: "createSource",
    tag: "Sources",
    summary: "Add a source",
    description:
      "It is connected at once. What may hold a token is never shown again: the values of headers, subprotocols, what is sent at the handshake, by a heartbeat or as the body of a poll, and the query of its address.",
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
    description:
      "What is not named stays as it is, secrets included; each setting that is named, such as `headers` or `heartbeat`, is replaced as a whole. It is connected anew.",
    body: { enabled: false },
    answer: { 200: { ...SOURCE, enabled: false, state: "disabled" } },
  },
  "DELETE /v1/integrations/sources/:id": {
    id: "deleteSource",
    tag: "Sources",
    summary: "Remove a source",
    description: "The signals that it made stay.",
  },
};

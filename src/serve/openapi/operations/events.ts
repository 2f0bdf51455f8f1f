import { EVENT } from "./examples.ts";
import type { Operations } from "./operation.ts";

export const EVENTS: Operations = {
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
      'Newest values and events as they happen. After the upgrade send `{"type":"subscribe","id":"a","readings":{"signalIds":"all"},"events":{}}`; resume events with `after`: the last one that came, or before any the one that `subscribed` names. At most 20 subscriptions that name 20,000 signals, 20 messages a second, 1 MiB each.',
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
};

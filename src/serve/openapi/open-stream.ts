import { PATHS } from "../oauth/paths.ts";
import type { Operation } from "./operations/operation.ts";
import type { Described } from "./raw.ts";

const TICKET = {
  name: "ticket",
  in: "query",
  required: false,
  description:
    "In place of a key, from `POST /v1/stream/tickets`: for browsers, which can send no header here. Good once, for 30 seconds.",
  schema: { type: "string", maxLength: 200 },
  example: "tkt_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX",
};

const CLOSE_CODES: Readonly<Record<number, string>> = {
  1001: "the service stops: come back, `after` the last event",
  1013: "too many streams are open: come back later",
  4400: "a bad message; an `error` before says what was wrong",
  4401: "no valid key or ticket, or it was revoked",
  4408: "too slow: come back, `after` the event that the reason names",
};
const CLOSES = Object.entries(CLOSE_CODES).map(([code, why]) => `- \`${code}\`: ${why}.`);

/** What the schemas of routes cannot say: a WebSocket is opened, and who may is judged after the upgrade. */
export const openStream = (operation: Operation, refusals: Described): Described => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  description: `${operation.description}\n\nNeeds a key, or a ticket in its place. Without a valid one the upgrade is answered all the same, and the stream closed with 4401: browsers show their pages nothing of a refused upgrade.\n\nIt closes with\n\n${CLOSES.join("\n")}`,
  security: [{ apiKey: [] }, { ticket: [] }],
  parameters: [TICKET],
  responses: {
    101: { description: "The stream is open: send a subscription." },
    ...refusals,
  },
});

const OAUTH_SCOPES = {
  read: "Look at everything.",
  write: "Change signals, sources, rules and webhooks, and send readings.",
  admin: "Everything, people and keys included.",
};
const tokens = { tokenUrl: PATHS.token, scopes: OAUTH_SCOPES };

/** How a request may be let in. */
export const SECURITY_SCHEMES = {
  apiKey: { type: "http", scheme: "bearer" },
  oauth: {
    type: "oauth2",
    description: `OAuth 2.1: ${PATHS.metadata} says where everything is; for devices ${PATHS.deviceCode} (RFC 8628). PKCE with S256 is asked of every client.`,
    flows: {
      authorizationCode: { authorizationUrl: PATHS.authorize, refreshUrl: PATHS.token, ...tokens },
      clientCredentials: tokens,
    },
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "__Host-session",
    description: "Of a browser in which somebody is signed in; from pages of the service alone.",
  },
  ticket: { type: "apiKey", in: "query", name: "ticket" },
};

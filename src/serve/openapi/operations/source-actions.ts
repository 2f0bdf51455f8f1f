import { SOURCE_BODY } from "./examples.ts";
import type { Operations } from "./operation.ts";

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

export const SOURCE_ACTIONS: Operations = {
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
};

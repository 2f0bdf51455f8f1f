import { z } from "zod";
import { EventId } from "../../../schemas/common.ts";
import { EventKind, SignalServiceEvent } from "../../../schemas/event.ts";
import { STANDARD_ID, STANDARD_TIMESTAMP } from "../../domain/webhooks/plain-headers.ts";
import { sampleEvent } from "../../domain/webhooks/sample-event.ts";
import {
  SERVICE_SIGNATURE,
  SERVICE_SIGNATURE_NEXT,
  STANDARD_SIGNATURE,
} from "../../domain/webhooks/signature.ts";
import type { Described } from "./raw.ts";

const ID = EventId.parse("evt_01JDA2V3Q8R5T7W9Y1B3D5F7H9");
const AT_MS = Date.parse("2026-01-31T09:30:00.000Z");

const header = (name: string, required: boolean, description: string): Described => ({
  name,
  in: "header",
  required,
  description,
  schema: { type: "string" },
});

const HEADERS = [
  header(STANDARD_ID, true, "The event's id: the same in every attempt."),
  header(STANDARD_TIMESTAMP, true, "When this attempt was made, in seconds since 1970."),
  header(STANDARD_SIGNATURE, false, "`v1,` and base64, after Standard Webhooks; several, parted by a space."),
  header(SERVICE_SIGNATURE, false, "`sha256=` and the lowercase hex HMAC-SHA256 of the raw body."),
  header(SERVICE_SIGNATURE_NEXT, false, "The same by the new secret, while secrets are rotated."),
  header("X-Service-Event", true, "The kind of event."),
];

/** Component of that name in `sent`. */
export const eventSchema = (): Described => {
  const { $schema: _, ...schema } = z.toJSONSchema(SignalServiceEvent, { io: "output" });
  return schema;
};

/** What the service itself sends, for those who generate receivers (OpenAPI 3.1: `webhooks`); its body is component `Event`. */
export const sent = (): Described => ({
  event: {
    post: {
      operationId: "receiveEvent",
      tags: ["Webhooks"],
      summary: "What a webhook is sent",
      description:
        "At least once, first attempts in order per signal. What is answered otherwise than by 2xx is tried again for two days. Verify the signature over the raw body.",
      security: [],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Event" },
            examples: Object.fromEntries(
              EventKind.options.map((kind) => [kind, { value: sampleEvent(kind, ID, AT_MS) }]),
            ),
          },
        },
      },
      responses: {
        204: { description: "Taken. Any 2xx within 15 s will do." },
        401: { description: "The signature does not fit. It is tried again." },
        410: { description: "No more, ever: the webhook is disabled." },
      },
    },
  },
});

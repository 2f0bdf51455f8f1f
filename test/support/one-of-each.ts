import { z } from "zod";
import { WebhookId } from "../../schemas/common.ts";
import { OPERATIONS } from "../../src/serve/openapi/operations.ts";
import { toldOf } from "../conformance/control-store/alerts.ts";
import { aDelivery } from "../conformance/control-store/examples.ts";
import type { TestEngines, TestServe } from "./serve.ts";
import { somePeople } from "./some-people.ts";

const Made = z.union([
  z.object({ id: z.string() }),
  z.object({ signals: z.tuple([z.object({ id: z.string() })]) }),
]);
/** Where nothing listens, so that a test of it is answered at once: with `WEBHOOK_ALLOW_PRIVATE`. */
const ENDPOINT = "https://127.0.0.1:9/";
const BODIES = {
  "/v1/signals": { name: "s", threshold: 0.4, externalId: "theirs" },
  "/v1/integrations/sources": { type: "push", name: "p" },
  "/v1/alerts/rules": { name: "r", condition: { operator: "below", value: -75 } },
  "/v1/alerts/silences": { untilResolved: true, reason: "r" },
  "/v1/integrations/webhooks": { url: ENDPOINT, events: ["signal.failed"] },
  "/v1/api-keys": { name: "k", scopes: ["read"] },
  "/v1/oauth/clients": { name: "o", grants: ["client_credentials"], scopes: ["read"] },
};

export interface OneOfEach {
  readonly ids: Readonly<Record<string, string>>;
  /** The path of a route with what there is in the place of its parameters. */
  readonly pathOf: (route: string) => string;
}

/** One thing of every kind that has ids, made over HTTP. */
export const oneOfEach = async (engines: TestEngines, { api }: TestServe): Promise<OneOfEach> => {
  const { control, accountId } = engines;
  const ids: Record<string, string> = { ...(await somePeople(engines)).ids };
  for (const [path, body] of Object.entries(BODIES)) {
    const made = await api.expect(Made, "POST", path, body);
    ids[path] = "id" in made ? made.id : made.signals[0].id;
  }
  const told = toldOf(1);
  await control.alerts.project([{ ...told, accountId }]);
  // The shortest path comes last: others begin like it.
  ids["/v1/alerts"] = told.alert.id;
  const webhookId = WebhookId.parse(ids["/v1/integrations/webhooks"]);
  const [deliveryId = ""] = await control.deliveries.add([aDelivery(webhookId, 0)]);
  const pathOf = (route: string): string => {
    const [, id = ""] = Object.entries(ids).find(([start]) => route.startsWith(`${start}/`)) ?? [];
    const query = route.endsWith("/explain") ? `?signalId=${ids["/v1/signals"]}` : "";
    return route.replace(":id", id).replace(":deliveryId", deliveryId) + query;
  };
  return { ids: { ...ids, delivery: deliveryId }, pathOf };
};

/** The body that the document shows for an operation, if it takes one. */
export const exampleBodyOf = (name: string): object | undefined => {
  const { body, takes } = OPERATIONS[name] ?? {};
  return z
    .looseObject({})
    .optional()
    .parse(body ?? takes?.["application/json"]);
};

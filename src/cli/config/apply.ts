import { RuleCreate, RulePatch } from "../../../schemas/rule.ts";
import { SignalCreate, SignalPatch } from "../../../schemas/signal.ts";
import { SourceCreate, SourcePatch } from "../../../schemas/source.ts";
import { DeclaredWebhook, WebhookPatch } from "../../../schemas/webhook.ts";
import type { ApiClient } from "../../client/client.ts";
import type { paths } from "../../client/generated.ts";
import type { Change } from "../../declared/plan.ts";
import { asWritten } from "./as-written.ts";

type Of<Action extends Change["action"]> = Extract<Change, { action: Action }>;
const NewSignal = asWritten<paths["/v1/signals"]["post"]>(SignalCreate);
const NewSource = asWritten<paths["/v1/integrations/sources"]["post"]>(SourceCreate);
const NewRule = asWritten<paths["/v1/alerts/rules"]["post"]>(RuleCreate);
const NewWebhook = asWritten<paths["/v1/integrations/webhooks"]["post"]>(DeclaredWebhook);
const ChangedSignal = asWritten<paths["/v1/signals/{id}"]["patch"]>(SignalPatch);
const ChangedSource = asWritten<paths["/v1/integrations/sources/{id}"]["patch"]>(SourcePatch);
const ChangedRule = asWritten<paths["/v1/alerts/rules/{id}"]["patch"]>(RulePatch);
const ChangedWebhook = asWritten<paths["/v1/integrations/webhooks/{id}"]["patch"]>(WebhookPatch);

const create = async (client: ApiClient, { kind, body }: Of<"create">): Promise<void> => {
  if (kind === "signals") await client.post("/v1/signals", { body: NewSignal.parse(body) });
  else if (kind === "sources") await client.post("/v1/integrations/sources", { body: NewSource.parse(body) });
  else if (kind === "rules") await client.post("/v1/alerts/rules", { body: NewRule.parse(body) });
  else await client.post("/v1/integrations/webhooks", { body: NewWebhook.parse(body) });
};

const update = async (client: ApiClient, { kind, id, body }: Of<"update">): Promise<void> => {
  const params = { path: { id } };
  if (kind === "signals") await client.patch("/v1/signals/{id}", { params, body: ChangedSignal.parse(body) });
  else if (kind === "sources")
    await client.patch("/v1/integrations/sources/{id}", { params, body: ChangedSource.parse(body) });
  else if (kind === "rules")
    await client.patch("/v1/alerts/rules/{id}", { params, body: ChangedRule.parse(body) });
  else await client.patch("/v1/integrations/webhooks/{id}", { params, body: ChangedWebhook.parse(body) });
};

const remove = async (client: ApiClient, { kind, id }: Of<"delete">): Promise<void> => {
  const params = { path: { id } };
  if (kind === "signals") await client.delete("/v1/signals/{id}", { params });
  else if (kind === "sources") await client.delete("/v1/integrations/sources/{id}", { params });
  else if (kind === "rules") await client.delete("/v1/alerts/rules/{id}", { params });
  else await client.delete("/v1/integrations/webhooks/{id}", { params });
};

export const applied = (client: ApiClient, change: Change): Promise<void> => {
  if (change.action === "create") return create(client, change);
  return change.action === "update" ? update(client, change) : remove(client, change);
};

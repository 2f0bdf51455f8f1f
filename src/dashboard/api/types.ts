import type { paths } from "../../client/generated.ts";

/** What the API answers to a GET of a path. */
type Answer<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;
type Posted<P extends keyof paths> = paths[P] extends {
  post: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

export type Me = Answer<"/v1/me">;
export type Signal = Answer<"/v1/signals/{id}">;
/** As it was read, with its revision. */
export type WithTag<Thing> = Thing & { readonly tag: string | null };
export type Alert = Answer<"/v1/alerts/{id}">;
export type Rule = Answer<"/v1/alerts/rules">["rules"][number];
export type Condition = Rule["condition"];
export type Schedule = NonNullable<Rule["schedule"]>;
export type Silence = Answer<"/v1/alerts/silences">["silences"][number];
export type Explained = Answer<"/v1/alerts/rules/{id}/explain">;
export type Backtest = Posted<"/v1/alerts/rules/backtest">;
export type Source = Answer<"/v1/integrations/sources">["sources"][number];
export type Mapping = Extract<Source, { readonly mapping: unknown }>["mapping"];
export type Webhook = Answer<"/v1/integrations/webhooks">["webhooks"][number];
export type Delivery = Answer<"/v1/integrations/webhooks/{id}/deliveries">["deliveries"][number];
export type ApiKey = Answer<"/v1/api-keys">["apiKeys"][number];
export type OAuthClient = Answer<"/v1/oauth/clients">["clients"][number];
export type Member = Answer<"/v1/members">["members"][number];
export type Role = Member["role"];
export type Invitation = Answer<"/v1/invitations">["invitations"][number];
export type AccessRequest = Answer<"/v1/access-requests">["accessRequests"][number];
export type AuditEntry = Answer<"/v1/audit-log">["entries"][number];
export type SourceTried = Posted<"/v1/integrations/sources/test">;
export type WebhookTried = Posted<"/v1/integrations/webhooks/test">;
export type StageLag = Answer<"/v1/status">["stages"][number];
export type Event = Answer<"/v1/events">["events"][number];

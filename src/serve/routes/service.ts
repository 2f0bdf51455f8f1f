import { Alive, Hello, Readiness } from "../../../schemas/service.ts";
import type { Health, HealthState } from "../../ports/worker.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { asksForPage } from "../asks-for-page.ts";
import type { Parts } from "../parts.ts";
import { sendDashboard } from "./dashboard.ts";

const ORDER: readonly HealthState[] = ["ok", "degraded", "down"];

/** The worst state of all parts. */
export const worstOf = (parts: readonly Health[]): HealthState =>
  parts.reduce<HealthState>(
    (worst, { state }) => (ORDER.indexOf(state) > ORDER.indexOf(worst) ? state : worst),
    "ok",
  );

const hello = (version: string) => ({
  service: "Signal Optimization Service",
  version,
  links: {
    signals: "/v1/signals",
    sources: "/v1/integrations/sources",
    rules: "/v1/alerts/rules",
    events: "/v1/events",
    stream: "/v1/stream",
    status: "/v1/status",
    health: "/health/ready",
    metrics: "/metrics",
    openapi: "/v1/openapi.json",
  },
  hint: "Send your API key with every call under /v1: Authorization: Bearer <API_KEY>",
});

/** What is asked without a key: a greeting, whether the process lives, whether its parts are well, and its metrics. */
export const serviceRoutes = (
  app: App,
  { settings, health, telemetry }: Pick<Parts, "settings" | "health" | "telemetry">,
  dashboard: string | null = null,
): void => {
  const config = { access: "public" } as const;

  app.get("/", { config, schema: { response: answers({ 200: Hello }) } }, async (request, reply) => {
    reply.header("Vary", "Accept");
    if (!asksForPage(request)) return hello(settings.version);
    return sendDashboard(reply, dashboard);
  });

  app.get("/health/live", { config, schema: { response: answers({ 200: Alive }) } }, async () => ({
    status: "ok" as const,
  }));

  app.get(
    "/health/ready",
    { config, schema: { response: { 200: Readiness, 503: Readiness } } },
    async (_request, reply) => {
      const parts = health();
      const status = worstOf(parts);
      return reply
        .code(status === "down" ? 503 : 200)
        .header("Cache-Control", "no-store")
        .send({ status, parts });
    },
  );

  app.get("/metrics", { config: { access: "local" } }, async (_request, reply) => {
    const { contentType, text } = await telemetry.metrics.expose();
    return reply.type(contentType).send(text);
  });
};

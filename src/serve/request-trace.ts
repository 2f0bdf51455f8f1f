import type { FastifyRequest } from "fastify";
import type { Clock } from "../ports/clock.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { App } from "./app.ts";

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? "unmatched";

/** Every answer carries its `X-Request-Id`, and is counted and logged under it. */
export const traceRequests = (app: App, clock: Clock, { log, metrics }: Telemetry): void => {
  const labels = ["route", "method", "status"];
  const requests = metrics.counter("http_requests_total", "Requests answered.", labels);
  const seconds = metrics.histogram("http_request_seconds", "Time to an answer.", labels);
  app.addHook("onRequest", async (request, reply) => {
    request.startedAtMs = clock.monotonic();
    reply.header("X-Request-Id", request.id);
  });
  app.addHook("onResponse", async (request, reply) => {
    const values = { route: routeOf(request), method: request.method, status: String(reply.statusCode) };
    const tookMs = clock.monotonic() - request.startedAtMs;
    requests.add(1, values);
    if (request.routeOptions.config.isEndless !== true) seconds.observe(tookMs / 1_000, values);
    log.debug({ requestId: request.id, ...values, tookMs, callerId: request.caller?.id }, "request");
  });
};

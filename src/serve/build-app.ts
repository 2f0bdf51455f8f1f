import type { Clock } from "../ports/clock.ts";
import { type App, createApp } from "./app.ts";
import { authenticate } from "./authentication.ts";
import { answerErrors } from "./errors.ts";
import { requireHttps } from "./https-only.ts";
import { readJsonBodies } from "./json-body.ts";
import { addPages, describeRoutes } from "./openapi/document.ts";
import type { Parts } from "./parts.ts";
import { limitRates } from "./rate-limit.ts";
import { requestIds } from "./request-ids.ts";
import { traceRequests } from "./request-trace.ts";
import { addRoutes } from "./routes/all.ts";

/** The API with its conventions, in the order in which a request meets them. */
export const buildApp = async (parts: Parts): Promise<App> => {
  const { settings, limits, clock, entropy, telemetry } = parts;
  const app = await createApp({ settings, limits, requestId: requestIds(clock, entropy) });
  traceRequests(app, clock, telemetry);
  answerErrors(app, telemetry.log);
  if (settings.trustProxy) requireHttps(app);
  authenticate(app, parts.keys, settings.trustProxy);
  if (settings.rateLimit !== undefined) limitRates(app, settings.rateLimit);
  readJsonBodies(app);
  const document = await describeRoutes(app, settings.version);
  addRoutes(app, parts);
  await addPages(app, document);
  return app;
};

/** Takes nothing new and finishes what is being answered; connections still busy after `timeoutMs` are cut. */
export const closeApp = async (app: App, clock: Clock, timeoutMs: number): Promise<void> => {
  const cancel = clock.after(timeoutMs, () => app.server.closeAllConnections());
  await app.close();
  cancel();
};

import type { Clock } from "../ports/clock.ts";
import { type App, createApp } from "./app.ts";
import { authenticate, authorize } from "./authentication.ts";
import { refuseCodings } from "./body-coding.ts";
import { answerErrors } from "./errors.ts";
import { requireHttps } from "./https-only.ts";
import { readJsonBodies } from "./json-body.ts";
import { refuseUnnamed } from "./nothing-unnamed.ts";
import { addPages, describeRoutes } from "./openapi/document.ts";
import type { Parts } from "./parts.ts";
import { limitRates } from "./rate-limit.ts";
import { requestIds } from "./request-ids.ts";
import { traceRequests } from "./request-trace.ts";
import { addRoutes } from "./routes/all.ts";
import { dashboardPage } from "./routes/dashboard.ts";
import { refuseUnsound } from "./sound-request.ts";

/** The API with its conventions, in the order in which a request meets them. */
export const buildApp = async (parts: Omit<Parts, "countRequest">): Promise<App> => {
  const { settings, limits, clock, entropy, telemetry } = parts;
  const app = await createApp({ settings, limits, requestId: requestIds(clock, entropy) });
  traceRequests(app, clock, telemetry);
  const dashboard = settings.dashboard === undefined ? null : await dashboardPage(settings.dashboard);
  answerErrors(app, telemetry, dashboard);
  refuseUnsound(app);
  if (settings.trustProxy) requireHttps(app);
  authenticate(app, { ...parts, trustProxy: settings.trustProxy });
  const countRequest = limitRates(app, settings.rateLimit);
  authorize(app);
  refuseCodings(app);
  readJsonBodies(app);
  refuseUnnamed(app);
  const document = await describeRoutes(app, settings.version);
  await addRoutes(app, { ...parts, countRequest }, dashboard);
  await addPages(app, document);
  return app;
};

/** Takes nothing new and finishes what is being answered; connections still busy after `timeoutMs` are cut. */
export const closeApp = async (app: App, clock: Clock, timeoutMs: number): Promise<void> => {
  const cancel = clock.after(timeoutMs, () => app.server.closeAllConnections());
  await app.close();
  cancel();
};

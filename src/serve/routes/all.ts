import type { App } from "../app.ts";
import type { Parts } from "../parts.ts";
import { analyzeRoute } from "./analyze.ts";
import { apiKeyRoutes } from "./api-keys.ts";
import { batchRoute } from "./batch.ts";
import { eventRoutes } from "./events.ts";
import { readingRoutes } from "./readings.ts";
import { ruleRoutes } from "./rules.ts";
import { serviceRoutes } from "./service.ts";
import { signalTestRoute } from "./signal-test.ts";
import { signalRoutes } from "./signals.ts";
import { sourceRoutes } from "./sources.ts";
import { statusRoute } from "./status.ts";
import { streamRoutes } from "./stream.ts";

export const addRoutes = (app: App, parts: Parts): void => {
  serviceRoutes(app, parts);
  statusRoute(app, parts);
  signalRoutes(app, parts);
  signalTestRoute(app, parts);
  readingRoutes(app, parts);
  analyzeRoute(app, parts);
  batchRoute(app, parts);
  sourceRoutes(app, parts);
  ruleRoutes(app, parts);
  eventRoutes(app, parts);
  streamRoutes(app, parts);
  apiKeyRoutes(app, parts);
};

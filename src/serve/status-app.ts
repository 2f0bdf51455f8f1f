import type { Surroundings } from "../ports/surroundings.ts";
import type { Health } from "../ports/worker.ts";
import { createApp } from "./app.ts";
import { closeApp } from "./build-app.ts";
import { answerErrors } from "./errors.ts";
import { requestIds } from "./request-ids.ts";
import { traceRequests } from "./request-trace.ts";
import { serviceRoutes } from "./routes/service.ts";
import { limitsOf, type ServeSettings } from "./settings.ts";
import { refuseUnsound } from "./sound-request.ts";

export interface StatusAppOptions extends Surroundings {
  readonly settings: ServeSettings;
  readonly health: () => Health[];
}

/** How a worker that runs alone is, and its metrics, for orchestrators and monitoring: no data, and so no keys. */
export const startStatusApp = async (
  options: StatusAppOptions,
): Promise<{ readonly url: string; stop(): Promise<void> }> => {
  const { settings, clock, entropy, telemetry } = options;
  const limits = limitsOf(settings);
  const app = await createApp({ settings, limits, requestId: requestIds(clock, entropy) });
  traceRequests(app, clock, telemetry);
  answerErrors(app, telemetry);
  refuseUnsound(app);
  serviceRoutes(app, options);
  const url = await app.listen({ host: settings.host, port: settings.port });
  return { url, stop: () => closeApp(app, clock, limits.stopTimeoutMs) };
};

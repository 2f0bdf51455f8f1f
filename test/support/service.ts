import { onTestFinished } from "vitest";
import { Api } from "./api.ts";
import { Service, type ServiceOptions } from "./service-process.ts";

/** Starts the service, waits until it is ready, and kills it when the test is over if it still runs. */
export const startService = async (options: ServiceOptions): Promise<{ service: Service; api: Api }> => {
  const service = new Service(options);
  onTestFinished(async () => {
    await service.end("SIGKILL");
  });
  const url = await service.ready();
  return { service, api: new Api(url, options.apiKey ?? "") };
};

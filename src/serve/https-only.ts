import type { App } from "./app.ts";
import { ProblemError } from "./problem.ts";

const EXEMPT = /^\/(health\/|metrics$)/;

/** Behind a proxy: refuses what did not come to it by https, so that no key ever travels in the clear unnoticed. */
export const requireHttps = (app: App): void => {
  app.addHook("onRequest", async (request) => {
    if (request.protocol === "https" || EXEMPT.test(request.routeOptions.url ?? "")) return;
    throw new ProblemError(
      "validation_failed",
      "HTTPS only: the proxy must be reached by https and say X-Forwarded-Proto: https",
    );
  });
};

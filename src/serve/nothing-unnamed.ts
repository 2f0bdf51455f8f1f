import { z } from "zod";
import type { App } from "./app.ts";
import { validationFailed } from "./problem.ts";
import { fieldProblemsOf } from "./validation.ts";

const NOTHING = z.strictObject({});
const NO_BODY = NOTHING.optional();

const refuseAllBut = (nothing: z.ZodType, given: unknown): void => {
  const read = nothing.safeParse(given);
  if (!read.success) throw validationFailed(fieldProblemsOf(read.error));
};

/** A route of the API that names no query takes none, and one that names no body takes none, or `{}`. */
export const refuseUnnamed = (app: App): void => {
  app.addHook("preValidation", async ({ routeOptions, query, body }) => {
    const { url = "", schema, config } = routeOptions;
    if (!url.startsWith("/v1/") || config.takesAnything === true) return;
    if (schema?.querystring === undefined) refuseAllBut(NOTHING, query);
    if (schema?.body === undefined) refuseAllBut(NO_BODY, body ?? undefined);
  });
};

import { ReadingsAnswer, ReadingsQuery } from "../../../schemas/reading.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../problem.ts";
import { readingsPage } from "../readings-page.ts";
import { readingsPlace } from "../readings-span.ts";
import { SignalPath } from "./signals.ts";

export const readingRoutes = (app: App, { control, timeSeries, clock }: Parts): void => {
  app.get(
    "/v1/signals/:id/readings",
    {
      schema: { params: SignalPath, querystring: ReadingsQuery, response: answers({ 200: ReadingsAnswer }) },
    },
    async (request) => {
      const place = readingsPlace(request.query, clock.now());
      const stored = await control.signals.get(callerOf(request).accountId, request.params.id);
      if (stored === null) throw notFound("signal of this id");
      return readingsPage(timeSeries, stored.definition, place, request.query.limit);
    },
  );
};

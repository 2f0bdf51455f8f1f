import { AnalyzeAnswer, AnalyzeRequest } from "../../../schemas/analysis.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";

export const analyzeRoute = (app: App, { analyze, onceBeside }: Parts): void => {
  app.post(
    "/v1/signals/analyze",
    {
      config: { access: "read" },
      schema: { body: AnalyzeRequest, response: answers({ 200: AnalyzeAnswer }) },
    },
    (request, reply) =>
      onceBeside(request, reply, async () => ({
        status: 200,
        body: await analyze(callerOf(request).accountId, request.body),
      })),
  );
};

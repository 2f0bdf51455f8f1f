import { z } from "zod";
import { RuleId } from "../../../schemas/common.ts";
import { ExplainAnswer, ExplainQuery } from "../../../schemas/explain.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { explainRule } from "../explain/explainer.ts";
import type { Parts } from "../parts.ts";

const RulePath = z.strictObject({ id: RuleId });

export const explainRoute = (app: App, parts: Parts): void => {
  app.get(
    "/v1/alerts/rules/:id/explain",
    { schema: { params: RulePath, querystring: ExplainQuery, response: answers({ 200: ExplainAnswer }) } },
    (request) => explainRule(parts, callerOf(request).accountId, request.params.id, request.query),
  );
};

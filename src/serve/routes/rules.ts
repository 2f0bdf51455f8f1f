import { z } from "zod";
import { ListQuery, RuleId } from "../../../schemas/common.ts";
import { Rule, RuleCreate, RulePatch, RulesAnswer } from "../../../schemas/rule.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../problem.ts";

const RulePath = z.strictObject({ id: RuleId });

export const ruleRoutes = (app: App, { control: { rules }, settle }: Parts): void => {
  app.post(
    "/v1/alerts/rules",
    { schema: { body: RuleCreate, response: answers({ 201: Rule }) } },
    async (request, reply) => {
      const changed = await rules.create(callerOf(request).accountId, request.body);
      const { rule } = await settle("rule", changed);
      return reply.code(201).header("Location", `/v1/alerts/rules/${rule.id}`).send(rule);
    },
  );

  app.get(
    "/v1/alerts/rules",
    { schema: { querystring: ListQuery, response: answers({ 200: RulesAnswer }) } },
    async (request) => {
      const page = await rules.list(callerOf(request).accountId, request.query);
      return { rules: page.items.map(({ rule }) => rule), nextCursor: page.next };
    },
  );

  app.get(
    "/v1/alerts/rules/:id",
    { schema: { params: RulePath, response: answers({ 200: Rule }) } },
    async (request) => {
      const stored = await rules.get(callerOf(request).accountId, request.params.id);
      if (stored === null) throw notFound("rule of this id");
      return stored.rule;
    },
  );

  app.patch(
    "/v1/alerts/rules/:id",
    { schema: { params: RulePath, body: RulePatch, response: answers({ 200: Rule }) } },
    async (request) => {
      const changed = await rules.update(callerOf(request).accountId, request.params.id, request.body);
      return (await settle("rule of this id", changed)).rule;
    },
  );

  app.delete("/v1/alerts/rules/:id", { schema: { params: RulePath } }, async (request, reply) => {
    const changed = await rules.remove(callerOf(request).accountId, request.params.id);
    await settle("rule of this id", changed);
    return reply.code(204).send();
  });
};

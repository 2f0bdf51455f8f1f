import { z } from "zod";
import { ListQuery, RuleId } from "../../../schemas/common.ts";
import { Rule, RuleAnswer, RuleCreate, RulePatch, RulesAnswer } from "../../../schemas/rule.ts";
import { ruleWarnings } from "../alerts/rule-warnings.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { etagOf, expectedOf } from "../etag.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../problem.ts";
import { made } from "../settle.ts";

const WHAT = "rule of this id";
const RulePath = z.strictObject({ id: RuleId });

export const ruleRoutes = (app: App, { control, clock, by, settle, once }: Parts): void => {
  const { rules } = control;
  app.post(
    "/v1/alerts/rules",
    { schema: { body: RuleCreate, response: answers({ 201: RuleAnswer }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        const { accountId } = callerOf(request);
        const changed = await within.rules.create(accountId, request.body);
        const { value, outbox } = made("rule", changed);
        const { rule, revision } = value;
        const headers = { Location: `/v1/alerts/rules/${rule.id}`, ETag: etagOf(revision) };
        const warnings = await ruleWarnings(within, accountId, rule, clock.now());
        return { status: 201, headers, body: { ...rule, warnings }, outbox };
      }),
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
    async (request, reply) => {
      const stored = await rules.get(callerOf(request).accountId, request.params.id);
      if (stored === null) throw notFound(WHAT);
      return reply.header("ETag", etagOf(stored.revision)).send(stored.rule);
    },
  );

  app.patch(
    "/v1/alerts/rules/:id",
    { schema: { params: RulePath, body: RulePatch, response: answers({ 200: RuleAnswer }) } },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { params, body } = request;
      const changed = await by(request).rules.update(accountId, params.id, body, expectedOf(request));
      const { rule, revision } = await settle(WHAT, changed);
      const warnings = await ruleWarnings(control, accountId, rule, clock.now());
      return reply.header("ETag", etagOf(revision)).send({ ...rule, warnings });
    },
  );

  app.delete("/v1/alerts/rules/:id", { schema: { params: RulePath } }, async (request, reply) => {
    const { accountId } = callerOf(request);
    const { params } = request;
    await settle(WHAT, await by(request).rules.remove(accountId, params.id, expectedOf(request)));
    return reply.code(204).send();
  });
};

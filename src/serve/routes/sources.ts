import { z } from "zod";
import type { AccountId } from "../../../schemas/common.ts";
import { ListQuery, SourceId } from "../../../schemas/common.ts";
import {
  RejectionsAnswer,
  Source,
  SourceCreate,
  SourcePatch,
  SourcesAnswer,
} from "../../../schemas/source.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../problem.ts";
import { sourceAnswer } from "../source-answer.ts";
import { checkSource } from "../source-check.ts";

const SourcePath = z.strictObject({ id: SourceId });
const WHAT = "source of this id";
const BASE = "/v1/integrations/sources";

export const sourceRoutes = (app: App, { control: { sources }, settle }: Parts): void => {
  const shown = async (accountId: AccountId, id: SourceId): Promise<Source> => {
    const found = await sources.get(accountId, id);
    if (found === null) throw notFound(WHAT);
    return sourceAnswer(found.source, found.status);
  };

  app.post(
    BASE,
    { schema: { body: SourceCreate, response: answers({ 201: Source }) } },
    async (request, reply) => {
      if (request.body.type === "websocket") checkSource(request.body);
      const { accountId } = callerOf(request);
      const { id } = await settle("source", await sources.create(accountId, request.body));
      return reply
        .code(201)
        .header("Location", `${BASE}/${id}`)
        .send(await shown(accountId, id));
    },
  );

  app.get(
    BASE,
    { schema: { querystring: ListQuery, response: answers({ 200: SourcesAnswer }) } },
    async (request) => {
      const page = await sources.list(callerOf(request).accountId, request.query);
      const items = page.items.map(({ source, status }) => sourceAnswer(source, status));
      return { sources: items, nextCursor: page.next };
    },
  );

  app.get(
    `${BASE}/:id`,
    { schema: { params: SourcePath, response: answers({ 200: Source }) } },
    async (request) => shown(callerOf(request).accountId, request.params.id),
  );

  app.patch(
    `${BASE}/:id`,
    { schema: { params: SourcePath, body: SourcePatch, response: answers({ 200: Source }) } },
    async (request) => {
      const { accountId } = callerOf(request);
      checkSource(request.body);
      await settle(WHAT, await sources.update(accountId, request.params.id, request.body));
      return shown(accountId, request.params.id);
    },
  );

  app.delete(`${BASE}/:id`, { schema: { params: SourcePath } }, async (request, reply) => {
    await settle(WHAT, await sources.remove(callerOf(request).accountId, request.params.id));
    return reply.code(204).send();
  });

  app.get(
    `${BASE}/:id/rejections`,
    {
      schema: { params: SourcePath, querystring: ListQuery, response: answers({ 200: RejectionsAnswer }) },
    },
    async (request) => {
      const { accountId } = callerOf(request);
      const page = await sources.rejections(accountId, request.params.id, request.query);
      if (page === null) throw notFound(WHAT);
      return { rejections: [...page.items], nextCursor: page.next };
    },
  );
};

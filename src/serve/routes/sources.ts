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
import { RetryAnswer, SourceTestAnswer } from "../../../schemas/source-actions.ts";
import type { Sources } from "../../ports/control-store.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { etagOf, expectedOf } from "../etag.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../problem.ts";
import { made } from "../settle.ts";
import { sourceAnswer } from "../source-answer.ts";
import { checkSource } from "../source-check.ts";

const SourcePath = z.strictObject({ id: SourceId });
const WHAT = "source of this id";
const BASE = "/v1/integrations/sources";

export const sourceRoutes = (
  app: App,
  { control, by, settle, once, onceBeside, pushes, rejections, trials }: Parts,
): void => {
  const { sources } = control;
  const shown = async (
    accountId: AccountId,
    id: SourceId,
    from: Pick<Sources, "get"> = sources,
  ): Promise<{ readonly body: Source; readonly etag: string }> => {
    const found = await from.get(accountId, id);
    if (found === null) throw notFound(WHAT);
    return { body: sourceAnswer(found.source, found.status), etag: etagOf(found.source.revision) };
  };

  app.post(BASE, { schema: { body: SourceCreate, response: answers({ 201: Source }) } }, (request, reply) =>
    once(request, reply, async (within) => {
      checkSource(request.body);
      const { accountId } = callerOf(request);
      const { value, outbox } = made("source", await within.sources.create(accountId, request.body));
      const { body, etag } = await shown(accountId, value.id, within.sources);
      return { status: 201, headers: { Location: `${BASE}/${value.id}`, ETag: etag }, body, outbox };
    }),
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
    async (request, reply) => {
      const { body, etag } = await shown(callerOf(request).accountId, request.params.id);
      return reply.header("ETag", etag).send(body);
    },
  );

  app.patch(
    `${BASE}/:id`,
    { schema: { params: SourcePath, body: SourcePatch, response: answers({ 200: Source }) } },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { params, body: patch } = request;
      checkSource(patch);
      await settle(WHAT, await by(request).sources.update(accountId, params.id, patch, expectedOf(request)));
      pushes.forget(params.id);
      const { body, etag } = await shown(accountId, params.id);
      return reply.header("ETag", etag).send(body);
    },
  );

  app.delete(`${BASE}/:id`, { schema: { params: SourcePath } }, async (request, reply) => {
    const { accountId } = callerOf(request);
    const { id } = request.params;
    await settle(WHAT, await by(request).sources.remove(accountId, id, expectedOf(request)));
    pushes.forget(id);
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

  app.post(
    `${BASE}/test`,
    { schema: { body: SourceCreate, response: answers({ 200: SourceTestAnswer }) } },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        checkSource(request.body);
        return { status: 200, body: await trials.try(callerOf(request).accountId, request.body) };
      }),
  );

  app.post(
    `${BASE}/:id/test`,
    { schema: { params: SourcePath, response: answers({ 200: SourceTestAnswer }) } },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const { accountId } = callerOf(request);
        const found = await sources.get(accountId, request.params.id);
        if (found === null) throw notFound(WHAT);
        return { status: 200, body: await trials.try(accountId, found.source.settings) };
      }),
  );

  app.post(
    `${BASE}/:id/rejections/retry`,
    { schema: { params: SourcePath, response: answers({ 200: RetryAnswer }) } },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const found = await sources.get(callerOf(request).accountId, request.params.id);
        if (found === null) throw notFound(WHAT);
        const body = await rejections.retry(found.source);
        pushes.recovered(found.source, body.readings);
        return { status: 200, body };
      }),
  );
};

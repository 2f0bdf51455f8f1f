import { z } from "zod";
import { ListQuery, SilenceId } from "../../../schemas/common.ts";
import {
  newSilenceProblems,
  Silence,
  SilenceAnswer,
  SilenceCreate,
  SilencePatch,
  SilencesAnswer,
} from "../../../schemas/silence.ts";
import type { StoredSilence } from "../../ports/alerts.ts";
import type { Repositories } from "../../ports/control-store.ts";
import { silenceAnswers } from "../alerts/silence-answer.ts";
import { silenceWarnings } from "../alerts/silence-warnings.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { etagOf, expectedOf } from "../etag.ts";
import type { Parts } from "../parts.ts";
import { notFound, validationFailed } from "../problem.ts";
import { made } from "../settle.ts";

const WHAT = "silence of this id";
const BASE = "/v1/alerts/silences";
const SilencePath = z.strictObject({ id: SilenceId });

/** With times in UTC, as every answer writes them. */
const completed = (body: SilenceCreate, nowMs: number) => {
  const from = timestamp(body.from === undefined ? nowMs : Date.parse(body.from));
  const until = body.until === null ? null : timestamp(Date.parse(body.until));
  const settings = { ...body, from, until };
  const problems = newSilenceProblems(settings, nowMs);
  if (problems.length > 0) throw validationFailed(problems);
  return settings;
};

export const silenceRoutes = (app: App, { control, by, settle, once, clock }: Parts): void => {
  const shown = async (within: Pick<Repositories, "silences">, stored: StoredSilence): Promise<Silence> => {
    const [answer] = await silenceAnswers(within, [stored], clock.now());
    if (answer === undefined) throw new Error("no answer for a silence");
    return answer;
  };

  const written = async (
    within: Pick<Repositories, "silences" | "signals" | "rules">,
    stored: StoredSilence,
  ): Promise<SilenceAnswer> => {
    const silence = await shown(within, stored);
    return { ...silence, warnings: await silenceWarnings(within, stored.accountId, silence) };
  };

  app.post(
    BASE,
    { schema: { body: SilenceCreate, response: answers({ 201: SilenceAnswer }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        const { accountId, by } = callerOf(request);
        const settings = completed(request.body, clock.now());
        const { value, outbox } = made("silence", await within.silences.create(accountId, settings, by));
        const headers = { Location: `${BASE}/${value.definition.id}`, ETag: etagOf(value.revision) };
        return { status: 201, headers, body: await written(within, value), outbox };
      }),
  );

  app.get(
    BASE,
    { schema: { querystring: ListQuery, response: answers({ 200: SilencesAnswer }) } },
    async (request) => {
      const page = await control.silences.list(callerOf(request).accountId, request.query);
      return { silences: await silenceAnswers(control, page.items, clock.now()), nextCursor: page.next };
    },
  );

  app.get(
    `${BASE}/:id`,
    { schema: { params: SilencePath, response: answers({ 200: Silence }) } },
    async (request, reply) => {
      const stored = await control.silences.get(callerOf(request).accountId, request.params.id);
      if (stored === null) throw notFound(WHAT);
      return reply.header("ETag", etagOf(stored.revision)).send(await shown(control, stored));
    },
  );

  app.patch(
    `${BASE}/:id`,
    { schema: { params: SilencePath, body: SilencePatch, response: answers({ 200: SilenceAnswer }) } },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { params, body } = request;
      const changed = await by(request).silences.update(accountId, params.id, body, expectedOf(request));
      const stored = await settle(WHAT, changed);
      return reply.header("ETag", etagOf(stored.revision)).send(await written(control, stored));
    },
  );

  app.delete(`${BASE}/:id`, { schema: { params: SilencePath } }, async (request, reply) => {
    const { accountId } = callerOf(request);
    const { params } = request;
    await settle(WHAT, await by(request).silences.remove(accountId, params.id, expectedOf(request)));
    return reply.code(204).send();
  });
};

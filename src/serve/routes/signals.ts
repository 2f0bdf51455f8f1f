import { z } from "zod";
import { SignalId } from "../../../schemas/common.ts";
import {
  Signal,
  SignalCreate,
  SignalPatch,
  SignalsAnswer,
  SignalsCreated,
  SignalsQuery,
} from "../../../schemas/signal.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { etagOf, expectedOf } from "../etag.ts";
import { labelsOf } from "../labels-asked.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../problem.ts";
import { made } from "../settle.ts";
import { signalAnswer } from "../signal-answer.ts";

export const SignalPath = z.strictObject({ id: SignalId });

const WHAT = "signal of this id";
const NO_SIGNALS = { signals: [], nextCursor: null };

export const signalRoutes = (app: App, { control: { signals }, by, live, settle, once }: Parts): void => {
  app.post(
    "/v1/signals",
    { schema: { body: SignalCreate, response: answers({ 201: SignalsCreated }) } },
    (request, reply) =>
      once(request, reply, async (within) => {
        const changed = await within.signals.create(callerOf(request).accountId, request.body);
        const { value, outbox } = made("signal", changed);
        const { id, revision } = value.definition;
        const headers = { Location: `/v1/signals/${id}`, ETag: etagOf(revision) };
        return { status: 201, headers, body: { signals: [signalAnswer(value, live)] }, outbox };
      }),
  );

  app.get(
    "/v1/signals",
    { schema: { querystring: SignalsQuery, response: answers({ 200: SignalsAnswer }) } },
    async (request) => {
      const { label, id: ids, ...query } = request.query;
      const labels = label === undefined ? undefined : labelsOf(label);
      if (labels === null) return NO_SIGNALS;
      const page = await signals.list(callerOf(request).accountId, { ...query, ids, labels });
      return { signals: page.items.map((stored) => signalAnswer(stored, live)), nextCursor: page.next };
    },
  );

  app.get(
    "/v1/signals/:id",
    { schema: { params: SignalPath, response: answers({ 200: Signal }) } },
    async (request, reply) => {
      const stored = await signals.get(callerOf(request).accountId, request.params.id);
      if (stored === null) throw notFound(WHAT);
      return reply.header("ETag", etagOf(stored.definition.revision)).send(signalAnswer(stored, live));
    },
  );

  app.patch(
    "/v1/signals/:id",
    { schema: { params: SignalPath, body: SignalPatch, response: answers({ 200: Signal }) } },
    async (request, reply) => {
      const { accountId } = callerOf(request);
      const { params, body } = request;
      const changed = await by(request).signals.update(accountId, params.id, body, expectedOf(request));
      const stored = await settle(WHAT, changed);
      return reply.header("ETag", etagOf(stored.definition.revision)).send(signalAnswer(stored, live));
    },
  );

  app.delete("/v1/signals/:id", { schema: { params: SignalPath } }, async (request, reply) => {
    const { accountId } = callerOf(request);
    const { id } = request.params;
    await settle(WHAT, await by(request).signals.remove(accountId, id, expectedOf(request)));
    return reply.code(204).send();
  });
};

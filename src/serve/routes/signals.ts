import { z } from "zod";
import { Labels, SignalId } from "../../../schemas/common.ts";
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
import type { Parts } from "../parts.ts";
import { notFound, validationFailed } from "../problem.ts";
import { signalAnswer } from "../signal-answer.ts";
import { fieldProblemsOf } from "../validation.ts";

export const SignalPath = z.strictObject({ id: SignalId });

/** `label=k:v`, several times: all must match. */
const labelsOf = (pairs: readonly string[] | undefined): Labels | undefined => {
  if (pairs === undefined) return undefined;
  const entries = pairs.map((pair) => {
    const colon = pair.indexOf(":");
    return [pair.slice(0, colon), pair.slice(colon + 1)];
  });
  const labels = Labels.safeParse(Object.fromEntries(entries));
  if (labels.success) return labels.data;
  const [problem] = fieldProblemsOf(labels.error);
  throw validationFailed([{ path: "label", message: problem?.message ?? "is not a label" }]);
};

export const signalRoutes = (app: App, { control: { signals }, live, settle }: Parts): void => {
  app.post(
    "/v1/signals",
    { schema: { body: SignalCreate, response: answers({ 201: SignalsCreated }) } },
    async (request, reply) => {
      const changed = await signals.create(callerOf(request).accountId, request.body);
      const signal = signalAnswer(await settle("signal", changed), live);
      return reply
        .code(201)
        .header("Location", `/v1/signals/${signal.id}`)
        .send({ signals: [signal] });
    },
  );

  app.get(
    "/v1/signals",
    { schema: { querystring: SignalsQuery, response: answers({ 200: SignalsAnswer }) } },
    async (request) => {
      const { label, ...query } = request.query;
      const page = await signals.list(callerOf(request).accountId, { ...query, labels: labelsOf(label) });
      return { signals: page.items.map((stored) => signalAnswer(stored, live)), nextCursor: page.next };
    },
  );

  app.get(
    "/v1/signals/:id",
    { schema: { params: SignalPath, response: answers({ 200: Signal }) } },
    async (request) => {
      const stored = await signals.get(callerOf(request).accountId, request.params.id);
      if (stored === null) throw notFound("signal of this id");
      return signalAnswer(stored, live);
    },
  );

  app.patch(
    "/v1/signals/:id",
    { schema: { params: SignalPath, body: SignalPatch, response: answers({ 200: Signal }) } },
    async (request) => {
      const changed = await signals.update(callerOf(request).accountId, request.params.id, request.body);
      return signalAnswer(await settle("signal of this id", changed), live);
    },
  );

  app.delete("/v1/signals/:id", { schema: { params: SignalPath } }, async (request, reply) => {
    const changed = await signals.remove(callerOf(request).accountId, request.params.id);
    await settle("signal of this id", changed);
    return reply.code(204).send();
  });
};

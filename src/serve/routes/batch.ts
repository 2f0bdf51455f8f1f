import { BatchAnswer, BatchQuery, BatchRequest } from "../../../schemas/batch.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { allows, callerOf } from "../authentication.ts";
import { isOfChanges, readBatch } from "../batch/batch.ts";
import { changedOfText, textOfChanged } from "../batch/changed-batch.ts";
import { readOperationLines } from "../batch/ndjson.ts";
import { Outcomes } from "../batch/outcomes.ts";
import { changeBatch, prepareBatch, refusedOf, reportBatch } from "../batch/run-batch.ts";
import type { Parts } from "../parts.ts";

/** Its own scope: no other route takes lines. */
export const batchRoute = (app: App, parts: Parts): void => {
  const { live, clock, limits, once, onceInSteps } = parts;
  app.register((scope: App, _options, done) => {
    readOperationLines(scope);
    scope.post(
      "/v1/signals/batch",
      {
        bodyLimit: limits.batchBodyLimitBytes,
        schema: { body: BatchRequest, querystring: BatchQuery, response: answers({ 200: BatchAnswer }) },
      },
      async (request, reply) => {
        const { accountId } = callerOf(request);
        const { operations, atomic } = request.body;
        const how = {
          atomic: atomic || request.query.atomic === "true",
          mayRead: allows(callerOf(request), "read"),
        };
        const batch = await readBatch(operations, how, clock);
        if (isOfChanges(batch))
          return once(request, reply, async ({ signals }) => {
            const changed = await changeBatch(signals, live, accountId, batch, refusedOf(batch));
            const body = new Outcomes(batch.size, changed.results).answer();
            return { status: 200, body, outbox: changed.outbox };
          });
        return onceInSteps(request, reply, {
          prepare: () => prepareBatch(parts, accountId, batch),
          first: ({ signals }, prepared) => changeBatch(signals, live, accountId, batch, prepared),
          textOf: textOfChanged,
          stepOf: changedOfText,
          rest: async (changed) => ({
            status: 200,
            body: await reportBatch(parts, accountId, batch, changed),
          }),
        });
      },
    );
    done();
  });
};

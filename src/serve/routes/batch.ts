import { BatchAnswer, BatchQuery, BatchRequest } from "../../../schemas/batch.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { isOfChanges, readBatch } from "../batch/batch.ts";
import { readOperationLines } from "../batch/ndjson.ts";
import { runBatch, runChangesOnly } from "../batch/run-batch.ts";
import type { Parts } from "../parts.ts";

/** Its own scope: no other route takes lines. */
export const batchRoute = (app: App, parts: Parts): void => {
  const { live, clock, limits, once, onceBeside } = parts;
  app.register((scope: App, _options, done) => {
    readOperationLines(scope);
    scope.post(
      "/v1/signals/batch",
      {
        bodyLimit: limits.batchBodyLimitBytes,
        schema: { body: BatchRequest, querystring: BatchQuery, response: answers({ 200: BatchAnswer }) },
      },
      async (request, reply) => {
        const { operations, atomic } = request.body;
        const { accountId } = callerOf(request);
        const batch = await readBatch(operations, atomic || request.query.atomic === "true", clock);
        if (!isOfChanges(batch))
          return onceBeside(request, reply, async () => ({
            status: 200,
            body: await runBatch(parts, accountId, batch),
          }));
        return once(request, reply, async ({ signals }) => ({
          status: 200,
          ...(await runChangesOnly(signals, live, accountId, batch)),
        }));
      },
    );
    done();
  });
};

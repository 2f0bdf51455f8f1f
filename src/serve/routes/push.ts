import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { SourceId } from "../../../schemas/common.ts";
import { PushAnswer } from "../../../schemas/source-actions.ts";
import type { StoredSource } from "../../ports/control-store.ts";
import { answers } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { notFound, validationFailed } from "../problem.ts";
import { readAnyBody } from "../push/any-body.ts";
import { rateLimiter } from "../rate-limit.ts";

const SourcePath = z.strictObject({ id: SourceId });
const DEFAULT_LIMIT = { requests: 10_000, seconds: 10 };

/** Takes what a sender sends, whatever it calls it; in a scope of its own, as no other route does. */
export const pushRoute = (app: App, { pushes, onceBeside, settings }: Parts): void => {
  const count = rateLimiter("source", settings.pushLimit ?? DEFAULT_LIMIT);
  const sourceOf = async (request: FastifyRequest): Promise<StoredSource | null> => {
    const path = SourcePath.safeParse(request.params);
    return path.success ? pushes.find(callerOf(request).accountId, path.data.id) : null;
  };
  app.register((scope: App, _options, done) => {
    readAnyBody(scope);
    // Before the body is read: a sender that sends too much costs no more than its headers.
    scope.addHook("onRequest", async (request, reply) => {
      const source = await sourceOf(request);
      await count(source?.id ?? callerOf(request).accountId, reply);
      if (source === null) throw notFound("source of this id");
    });
    scope.post(
      "/v1/integrations/sources/:id/push",
      {
        config: { hasOwnRateLimit: true, takesAnything: true },
        schema: { params: SourcePath, response: answers({ 202: PushAnswer }) },
      },
      async (request, reply) => {
        const source = await sourceOf(request);
        if (source === null) throw notFound("source of this id");
        const { body, headers } = request;
        if (!Buffer.isBuffer(body) || body.length === 0)
          throw validationFailed([{ path: "", message: "the body is empty" }]);
        return onceBeside(request, reply, async () => ({
          status: 202,
          body: await pushes.take(source, body, headers["content-type"]),
        }));
      },
    );
    done();
  });
};

import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { OAUTH_BEGINNINGS } from "../../domain/access/limits.ts";
import type { App } from "../app.ts";
import { originOf } from "../doer.ts";
import { networkOf } from "../people/network.ts";
import { PUBLIC } from "../people/page-parts.ts";
import { ProblemError, tooMany } from "../problem.ts";
import { type RateLimit, rateLimiter } from "../rate-limit.ts";
import { answerOAuthErrors } from "./errors.ts";
import type { OAuth } from "./oauth.ts";
import { PATHS } from "./paths.ts";

const QueryMode = z.object({ response_mode: z.literal("query").optional() });
const FORM_BYTES_MAX = 32 * 1024;

/** Gives a request to the authorization server, which answers it by itself. */
const handOver = async ({ handle }: OAuth, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  await handle(request.raw, reply.raw, originOf(request));
};

/** What a request leaves behind, before anybody is known to have sent it, is bounded for all processes together. */
const countBeginning = async ({ control }: OAuth, { ip }: FastifyRequest): Promise<void> => {
  const beginning = { name: `OAuth begun from ${networkOf(ip)}`, limit: OAUTH_BEGINNINGS };
  const waitMs = await control.access.attempts.count([beginning]);
  if (waitMs !== null) throw tooMany("requests to be let in came from here", waitMs);
};

/** Only in the address itself: other ways of answering need scripts. */
const requireQueryMode = ({ query }: FastifyRequest): void => {
  if (QueryMode.safeParse(query).success) return;
  throw new ProblemError("validation_failed", "response_mode can only be query");
};

/** The endpoints of the authorization server, in an own scope: their bodies are forms, and it reads them itself. */
export const providerRoutes = async (app: App, oauth: OAuth, limit: RateLimit | undefined): Promise<void> => {
  await app.register((routes: App, _options: object, done: () => void) => {
    routes.removeAllContentTypeParsers();
    routes.addContentTypeParser("*", (_request, _payload, parsed) => parsed(null));
    const counted = limit === undefined ? null : rateLimiter("network", limit);
    routes.addHook("onRequest", async (request, reply) => {
      await counted?.(networkOf(request.ip), reply);
      if (Number(request.headers["content-length"] ?? 0) > FORM_BYTES_MAX)
        throw new ProblemError("payload_too_large", "the body exceeds the limit of this endpoint");
    });
    answerOAuthErrors(routes, oauth.log);
    const toProvider = (request: FastifyRequest, reply: FastifyReply) => handOver(oauth, request, reply);
    const begin = { ...PUBLIC, preHandler: (request: FastifyRequest) => countBeginning(oauth, request) };
    routes.get(PATHS.metadata, PUBLIC, toProvider);
    routes.get(PATHS.jwks, PUBLIC, toProvider);
    routes.get(
      PATHS.authorize,
      { ...begin, onRequest: async (request) => requireQueryMode(request) },
      toProvider,
    );
    routes.get(`${PATHS.authorize}/:uid`, PUBLIC, toProvider);
    routes.post(PATHS.deviceCode, begin, toProvider);
    routes.post(PATHS.token, PUBLIC, toProvider);
    routes.post(PATHS.introspect, PUBLIC, toProvider);
    routes.post(PATHS.revoke, PUBLIC, toProvider);
    done();
  });
};

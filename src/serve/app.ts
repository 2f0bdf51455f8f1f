import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import cookie from "@fastify/cookie";
import websocket from "@fastify/websocket";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { answerBrokenRequest } from "./broken-request.ts";
import type { Caller } from "./caller.ts";
import type { Access } from "./openapi/access.ts";
import { problemOf } from "./problem-of.ts";
import { sendProblem } from "./send-problem.ts";
import type { ServeLimits, ServeSettings } from "./settings.ts";
import { isStreamUpgrade } from "./sound-request.ts";
import { zodSerialization, zodValidation } from "./validation.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /**
     * Who may call a route: anybody, this machine or an admin, anybody who is signed in, or who has the scope. Not given:
     * by the method.
     */
    readonly access?: Access;
    /** The route counts its requests by something else than their key. */
    readonly hasOwnRateLimit?: boolean;
    /** It takes whatever body and query senders of all kinds send, of which no schema can tell. */
    readonly takesAnything?: boolean;
    /** Its answer goes on until somebody ends it: how long it took tells nothing. */
    readonly isEndless?: boolean;
  }
  interface FastifyRequest {
    /** Whoever the request comes from; null on a public route. */
    caller: Caller | null;
    startedAtMs: number;
  }
}

export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

interface AppOptions {
  readonly settings: ServeSettings;
  readonly limits: ServeLimits;
  readonly requestId: () => string;
}

/** A Fastify instance on a bounded HTTP server, with zod for what comes in and goes out, and no routes yet. */
export const createApp = async ({ settings, limits, requestId }: AppOptions): Promise<App> => {
  const bounds = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: 72_000,
    // Asked by hand instead, so that even these refusals are answers.
    requireHostHeader: false,
    shouldUpgradeCallback: isStreamUpgrade,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
  };
  const app = fastify({
    serverFactory: (handler) =>
      settings.tls === undefined
        ? createServer(bounds, handler)
        : createSecureServer({ ...bounds, ...settings.tls }, handler),
    genReqId: requestId,
    requestIdHeader: false,
    trustProxy: settings.trustProxy,
    bodyLimit: limits.bodyLimitBytes,
    forceCloseConnections: "idle",
    // While stopping, what came in on an open connection is still answered as ever.
    return503OnClosing: false,
    frameworkErrors: (error, request, reply) => {
      sendProblem(request, reply, problemOf(error));
    },
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket, requestId()),
  }).withTypeProvider<ZodTypeProvider>();
  app.setValidatorCompiler(zodValidation);
  app.setSerializerCompiler(zodSerialization);
  app.decorateRequest("caller", null);
  app.decorateRequest("startedAtMs", 0);
  await app.register(cookie);
  await app.register(websocket, {
    options: { maxPayload: limits.bodyLimitBytes, perMessageDeflate: false },
    // Where the peer broke the protocol, ws is closing with the code that says so: cut off only what is still open.
    errorHandler: (_error, socket) => {
      if (socket.readyState === socket.OPEN) socket.terminate();
    },
  });
  return app;
};

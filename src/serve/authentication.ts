import type { FastifyRequest } from "fastify";
import type { Scope } from "../../schemas/api-key.ts";
import type { StoredApiKey } from "../ports/control-store.ts";
import type { App } from "./app.ts";
import type { KnownKeys } from "./known-keys.ts";
import { ProblemError } from "./problem.ts";

const CHALLENGE = { "WWW-Authenticate": "Bearer" };
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** The token of `Authorization: Bearer <token>` (RFC 6750), or null. */
export const bearerToken = (request: FastifyRequest): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;

/** A key may do what its scopes name; `admin` may do everything. */
export const allows = (key: StoredApiKey, scope: Scope): boolean =>
  key.scopes.includes(scope) || key.scopes.includes("admin");

/** The key that a request to an authenticated route came with. */
export const callerOf = (request: FastifyRequest): StoredApiKey => {
  if (request.apiKey === null) throw new Error(`route ${request.routeOptions.url} has no authentication`);
  return request.apiKey;
};

const scopeOf = (method: string): Scope => (method === "GET" || method === "HEAD" ? "read" : "write");

/** From this machine, and not passed on by a proxy on it: behind one, every peer looks local. */
const isLocal = ({ socket, headers }: FastifyRequest): boolean =>
  LOOPBACK.test(socket.remoteAddress ?? "") && !Object.keys(headers).some((name) => FORWARDED.test(name));

/** Finds the key of each request to a route that needs one. */
export const authenticate = (app: App, keys: Pick<KnownKeys, "find">, trustProxy: boolean): void => {
  app.addHook("onRequest", async (request) => {
    const { config, url } = request.routeOptions;
    const { access } = config;
    // A path that is not there has nothing to guard.
    if (url === undefined || access === "public") return;
    if (access === "local" && !trustProxy && isLocal(request)) return;
    const token = bearerToken(request);
    const key = token === null ? null : await keys.find(token, request.ip);
    if (key === null) {
      const detail =
        token === null
          ? "send the header Authorization: Bearer <API_KEY>"
          : "the API key is unknown, revoked or mistyped";
      throw new ProblemError("unauthorized", detail, { headers: CHALLENGE });
    }
    request.apiKey = key;
  });
};

/** The scope of the route that the request's key lacks; null: it may go on. */
export const lackingScope = ({ apiKey, method, routeOptions }: FastifyRequest): Scope | null => {
  const access = routeOptions.config.access ?? scopeOf(method);
  if (apiKey === null || access === "public") return null;
  const scope = access === "local" ? "admin" : access;
  return allows(apiKey, scope) ? null : scope;
};

/** To be added behind what counts requests: those that are refused here count, too. */
export const authorize = (app: App): void => {
  app.addHook("onRequest", async (request) => {
    const scope = lackingScope(request);
    if (scope !== null) throw new ProblemError("forbidden", `the API key lacks the scope ${scope}`);
  });
};

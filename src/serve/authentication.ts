import type { FastifyReply, FastifyRequest } from "fastify";
import type { Scope } from "../../schemas/api-key.ts";
import type { OpenSession } from "../ports/access.ts";
import type { App } from "./app.ts";
import { type Caller, personBySession } from "./caller.ts";
import type { Callers } from "./callers.ts";
import type { PageParts } from "./people/page-parts.ts";
import { requireOurPage } from "./people/same-origin.ts";
import { ProblemError } from "./problem.ts";

const CHALLENGE = { "WWW-Authenticate": "Bearer" };
/** By which programs know that they need another token (RFC 6750, section 3.1). */
const INVALID_TOKEN = { "WWW-Authenticate": 'Bearer error="invalid_token"' };
const FORWARDED = /^(forwarded|via|x-forwarded-.*|x-real-ip)$/;
const LOOPBACK = /^(127\.|::1$|::ffff:127\.)/;

/** The token of `Authorization: Bearer <token>` (RFC 6750), or null. */
export const bearerToken = (request: FastifyRequest): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? null;

/** A caller may do what its scopes name; `admin` may do everything. */
export const allows = ({ scopes }: Pick<Caller, "scopes">, scope: Scope): boolean =>
  scopes.includes(scope) || scopes.includes("admin");

/** Whoever a request to an authenticated route came from. */
export const callerOf = (request: FastifyRequest): Caller => {
  if (request.caller === null) throw new Error(`route ${request.routeOptions.url} has no authentication`);
  return request.caller;
};

/** The session of whoever a request to a route for people came from. */
export const ownSessionOf = (request: FastifyRequest): OpenSession => {
  const { session } = callerOf(request);
  if (session === null) throw new Error(`route ${request.routeOptions.url} was called by a key`);
  return session;
};
const HOLDS = { key: "API key", token: "token", session: "session" } as const;

const scopeOf = (method: string): Scope => (method === "GET" || method === "HEAD" ? "read" : "write");

/** From this machine, and not passed on by a proxy on it: behind one, every peer looks local. */
export const isLocal = ({ socket, headers }: FastifyRequest): boolean =>
  LOOPBACK.test(socket.remoteAddress ?? "") && !Object.keys(headers).some((name) => FORWARDED.test(name));

const refuse = (detail: string, headers: Readonly<Record<string, string>> = CHALLENGE): never => {
  throw new ProblemError("unauthorized", detail, { headers });
};

interface AuthenticationParts {
  readonly callers: Callers;
  readonly people: PageParts;
  readonly trustProxy: boolean;
}

/** By the cookie of a session; null: there is none. Throws for one that is over, or may not do anything here. */
const bySession = async (
  { callers, people }: AuthenticationParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Caller | null> => {
  const token = people.cookies.read(request, "session");
  if (token === null) return null;
  if (scopeOf(request.method) !== "read") requireOurPage(request, people.access.publicUrl);
  // By Back, browsers show what they have kept without asking: to whoever is there, once somebody has signed out as well.
  reply.header("Cache-Control", "no-store");
  const session = await callers.session(token, request.ip);
  if (session === null) return refuse("the session is over: sign in again");
  if (session.isStale) await people.renew(token, reply);
  if (session.mustSetUpSecondFactor && request.routeOptions.config.access !== "person")
    throw new ProblemError(
      "second_factor_required",
      "this account asks for a second factor: set one up in your security settings",
    );
  const caller = personBySession(session);
  if (caller === null) throw new ProblemError("forbidden", "you are in no account, or suspended in this one");
  return caller;
};

/** Finds whoever each request to a route that needs it comes from. */
export const authenticate = (app: App, parts: AuthenticationParts): void => {
  app.addHook("onRequest", async (request, reply) => {
    const { config, url } = request.routeOptions;
    const { access } = config;
    // A path that is not there has nothing to guard.
    if (url === undefined || access === "public") return;
    if (access === "local" && !parts.trustProxy && isLocal(request)) return;
    const token = bearerToken(request);
    const caller =
      token === null
        ? await bySession(parts, request, reply)
        : ((await parts.callers.byBearer(token, request.ip)) ??
          refuse("the API key or token is unknown, revoked, mistyped, or has expired", INVALID_TOKEN));
    request.caller = caller ?? refuse("send the header Authorization: Bearer <API_KEY>");
  });
};

/** Why whoever a request comes from may not call its route; null: it may. */
export const refusalOf = ({ caller, method, routeOptions }: FastifyRequest): ProblemError | null => {
  const access = routeOptions.config.access ?? scopeOf(method);
  if (caller === null || access === "public") return null;
  if (access === "person")
    return caller.session === null
      ? new ProblemError("forbidden", "this is for people who are signed in: no API key or token may do it")
      : null;
  if (access === "keys" && caller.session !== null) return null;
  const scope = access === "local" || access === "keys" ? "admin" : access;
  if (allows(caller, scope)) return null;
  const who = caller.session === null ? `the ${HOLDS[caller.kind]}` : `your role, ${caller.session.role},`;
  return new ProblemError("forbidden", `${who} lacks the scope ${scope}`);
};

/** To be added behind what counts requests: those that are refused here count, too. */
export const authorize = (app: App): void => {
  app.addHook("onRequest", async (request) => {
    const refusal = refusalOf(request);
    if (refusal !== null) throw refusal;
  });
};

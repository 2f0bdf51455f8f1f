import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { beginOutside, type Intent, returnFromOutside } from "../../access/outside-attempt.ts";
import { returnPath } from "../../domain/access/return-path.ts";
import { isToken } from "../../domain/access/secret-token.ts";
import { isLoopback } from "../../domain/loopback.ts";
import type { OutsideProvider } from "../../ports/outside-providers.ts";
import type { App } from "../app.ts";
import { sendPage } from "../pages/page.ts";
import { notFound } from "../problem.ts";
import { outsideArrivals } from "./outside-arrivals.ts";
import { failurePage, unavailablePage } from "./outside-words.ts";
import {
  BY_PROVIDER,
  FIELD_MAX,
  goTo,
  memberIn,
  NextQuery,
  type PageParts,
  visitorOf,
} from "./page-parts.ts";
import { ASK_INVITER, overPage } from "./password-pages.ts";
import { isProven } from "./proof.ts";
import { isFromOurPage, requireOurPage } from "./same-origin.ts";

const BY_INVITATION = {
  ...BY_PROVIDER,
  schema: {
    hide: true,
    params: z.object({ provider: z.string().max(FIELD_MAX), token: z.string().max(FIELD_MAX) }),
  },
} as const;

/** The ways to outside providers, and the one way back from each. */
export const outsidePages = (app: App, parts: PageParts): void => {
  const { access, cookies } = parts;
  const arrive = outsideArrivals(parts);

  const providerOf = (id: string): OutsideProvider => {
    const found = access.outside.all.find((one) => one.id === id);
    if (found === undefined) throw notFound("provider of this name");
    return found;
  };
  /** Whether a link of a page of ours was followed: no other site sends people on such a way. */
  const isLed = (request: FastifyRequest): boolean => {
    // A browser that says nothing would be sent back to the page for ever.
    if (request.headers["sec-fetch-site"] === undefined) requireOurPage(request, access.publicUrl);
    return isFromOurPage(request, access.publicUrl);
  };
  /** On this machine people use one name or another: what is kept under one would be missed under the one that is known. */
  const isElsewhere = ({ host }: FastifyRequest): boolean => {
    const ours = new URL(access.publicUrl);
    return isLoopback(ours.hostname) && host !== ours.host;
  };
  const leave = async (
    request: FastifyRequest,
    reply: FastifyReply,
    provider: OutsideProvider,
    intent: Intent,
    from: string,
    next = "/",
  ) => {
    if (isElsewhere(request)) return goTo(reply, `${access.publicUrl}${from}`);
    const begun = await beginOutside(access, { provider: provider.id, intent, next });
    if (begun === null) return sendPage(reply, unavailablePage(provider, from), 503);
    cookies.set(reply, "outside", begun.sealed);
    return goTo(reply, begun.address);
  };
  const nextOf = (request: FastifyRequest): string => returnPath(NextQuery.parse(request.query).next);

  app.get("/sign-in/with/:provider", BY_PROVIDER, async (request, reply) => {
    const provider = providerOf(request.params.provider);
    const next = nextOf(request);
    const page = `/sign-in?next=${encodeURIComponent(next)}`;
    if (!isLed(request)) return goTo(reply, page);
    return leave(request, reply, provider, { kind: "sign-in" }, page, next);
  });

  app.get("/set-password/:token/with/:provider", BY_INVITATION, async (request, reply) => {
    const provider = providerOf(request.params.provider);
    const { token } = request.params;
    const page = `/set-password/${token}`;
    const link = isToken(token) ? await access.control.access.links.look(token, "set-password") : null;
    if (link === null) return sendPage(reply, overPage(ASK_INVITER), 410);
    if (!isLed(request)) return goTo(reply, page);
    return leave(request, reply, provider, { kind: "accept", token }, page);
  });

  app.get("/link/with/:provider", BY_PROVIDER, async (request, reply) => {
    const provider = providerOf(request.params.provider);
    const session = await memberIn(parts, request);
    if (session === null || !isProven(session, access.clock) || !isLed(request)) return goTo(reply, "/link");
    return leave(request, reply, provider, { kind: "link", session: session.id }, "/link");
  });

  app.get("/prove/with/:provider", BY_PROVIDER, async (request, reply) => {
    const provider = providerOf(request.params.provider);
    const next = nextOf(request);
    const page = `/prove?next=${encodeURIComponent(next)}`;
    const session = await memberIn(parts, request);
    if (session === null || !isLed(request)) return goTo(reply, page);
    return leave(request, reply, provider, { kind: "prove", session: session.id }, page, next);
  });

  app.get("/sign-in/with/:provider/callback", BY_PROVIDER, async (request, reply) => {
    const provider = providerOf(request.params.provider);
    const { search: query } = new URL(request.url, access.publicUrl);
    const back = { provider: provider.id, query, sealed: cookies.read(request, "outside") };
    const returned = await returnFromOutside(access, back, visitorOf(request).network);
    // What came by itself, for nobody who is away, ends no way that is under way.
    if (returned.state !== "over") cookies.clear(reply, "outside");
    if (returned.state !== "vouched") return sendPage(reply, ...failurePage(provider, returned));
    const { attempt, identity } = returned;
    return arrive({ request, reply, provider, attempt, identity });
  });
};

import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "ghtml";
import { errors, type InteractionResults } from "oidc-provider";
import { z } from "zod";
import { type Asked, allow, type NoOffer, type Offer, offerTo, scopesAsked } from "../../access/consent.ts";
import { findProgram } from "../../access/programs.ts";
import type { OpenSession } from "../../ports/access.ts";
import type { App } from "../app.ts";
import { type Page, sendPage } from "../pages/page.ts";
import { FIELD_MAX, formOf, goTo, type PageParts, PUBLIC, sessionOf } from "../people/page-parts.ts";
import { isProven, proveFirst } from "../people/proof.ts";
import { askingHtml, decisionHtml, isOffer } from "./asking.ts";
import type { OAuth } from "./oauth.ts";
import { PATHS } from "./paths.ts";

const BY_UID = {
  ...PUBLIC,
  schema: { hide: true, params: z.object({ uid: z.string().max(FIELD_MAX) }) },
} as const;
const Decision = z.object({ decision: z.enum(["allow", "refuse"]) });
const Params = z.looseObject({
  client_id: z.string(),
  redirect_uri: z.url(),
  scope: z.string().optional(),
});

/** A request of a program that waits for a person. */
interface Waiting extends Asked {
  readonly uid: string;
  readonly redirectUri: string;
}

const OVER: Page = {
  title: "This request is over",
  body: html`<p>It took too long, was answered before, or began in another browser. Go back to the program that sent you here, and begin again.</p>`,
};

const consentOf = ({ uid, redirectUri, ...asked }: Waiting, email: string, offer: Offer | NoOffer): Page => {
  const { origin } = new URL(redirectUri);
  return {
    title: "Let a program in?",
    leadsTo: origin,
    body: html`!${askingHtml(asked, email, offer)}
<form method="post" action="${PATHS.consent}/${uid}">!${decisionHtml(offer)}</form>
<p class="faint"><br>Either way you go back to ${origin}.</p>`,
  };
};

/** Where a person says yes or no to a program that sent their browser here. */
export const consentPage = (app: App, parts: PageParts, oauth: OAuth): void => {
  const { access } = parts;
  const { clients, records } = access.control.access.oauth;

  /** Null: there is none in this browser. */
  const waitingFor = async (
    request: FastifyRequest,
    reply: FastifyReply,
    uid: string,
  ): Promise<Waiting | null> => {
    try {
      const found = await oauth.provider().interactionDetails(request.raw, reply.raw);
      if (found.uid !== uid) return null;
      const { client_id: clientId, redirect_uri: redirectUri, scope } = Params.parse(found.params);
      const program = await findProgram(clients, clientId);
      return program === null ? null : { uid, redirectUri, program, scopes: scopesAsked(program, scope) };
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return null;
      throw error;
    }
  };

  /** Back to the authorization server, which sends the browser on. Once: a second answer finds nothing to answer. */
  const finish = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { uid }: Waiting,
    resultOf: () => Promise<InteractionResults>,
  ) => {
    if (!(await records.claim("Interaction", uid))) return sendPage(reply, OVER, 410);
    const returnTo = await oauth.provider().interactionResult(request.raw, reply.raw, await resultOf());
    return goTo(reply, new URL(returnTo).pathname);
  };

  const offered = (session: OpenSession, waiting: Waiting) =>
    offerTo(access, session, waiting, session.accountId);

  app.get(`${PATHS.consent}/:uid`, BY_UID, async (request, reply) => {
    const { uid } = request.params;
    const waiting = await waitingFor(request, reply, uid);
    if (waiting === null) return sendPage(reply, OVER, 410);
    const session = await sessionOf(parts, request);
    if (session === null)
      return goTo(reply, `/sign-in?next=${encodeURIComponent(`${PATHS.consent}/${uid}`)}`);
    return sendPage(reply, consentOf(waiting, session.email, await offered(session, waiting)));
  });

  app.post(`${PATHS.consent}/:uid`, BY_UID, async (request, reply) => {
    const { decision } = formOf(Decision, request);
    const waiting = await waitingFor(request, reply, request.params.uid);
    if (waiting === null) return sendPage(reply, OVER, 410);
    const session = await sessionOf(parts, request);
    if (session === null)
      return goTo(reply, `/sign-in?next=${encodeURIComponent(`${PATHS.consent}/${waiting.uid}`)}`);
    if (decision === "refuse")
      return finish(request, reply, waiting, async () => ({
        error: "access_denied",
        error_description: "the person said no",
      }));
    const offer = await offered(session, waiting);
    if (!isOffer(offer)) return sendPage(reply, consentOf(waiting, session.email, offer), 403);
    if (!isProven(session, access.clock)) return proveFirst(reply, `${PATHS.consent}/${waiting.uid}`);
    return finish(request, reply, waiting, async () => ({
      login: { accountId: session.personId, remember: false },
      consent: { grantId: await allow(parts.by(request), session, waiting.program, offer) },
    }));
  });
};

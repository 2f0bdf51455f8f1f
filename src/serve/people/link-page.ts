import type { FastifyRequest } from "fastify";
import { html } from "ghtml";
import { z } from "zod";
import { IdentityId, type PersonId } from "../../../schemas/common.ts";
import { providerName, removeIdentity } from "../../access/outside.ts";
import type { LinkedIdentity, OpenSession } from "../../ports/access.ts";
import type { App } from "../app.ts";
import { type Page, sendPage } from "../pages/page.ts";
import { linkLinks } from "./outside-words.ts";
import { formOf, goTo, memberIn, type PageParts, PUBLIC, problemHtml } from "./page-parts.ts";
import { isProven } from "./proof.ts";

const Removal = z.object({ id: IdentityId });

const LAST =
  "Without it you could not sign in any more. Set a password first: sign out, and follow “Forgot your password?”.";

const identityHtml = (name: string, { id, subject, createdAt }: LinkedIdentity): string => html`<article>
<strong>${name}</strong>
<div class="faint">${subject}, since ${new Date(createdAt).toISOString().slice(0, 10)}</div>
<form method="post" action="/link/remove"><input type="hidden" name="id" value="${id}">
<button class="second">Remove</button></form>
</article>`;

/** Where somebody who is signed in sees the accounts elsewhere that are theirs, removes some, and links others. */
export const linkPage = (app: App, parts: PageParts): void => {
  const { access, by } = parts;

  const pageOf = async (personId: PersonId, problem: string | null = null): Promise<Page> => {
    const { all } = access.outside;
    const theirs = await access.control.access.identities.of(personId);
    const shown = theirs.map((one) => identityHtml(providerName(access, one.issuer) ?? one.issuer, one));
    const none = all.length === 0 ? "<p>There is no other place to sign in at.</p>" : "";
    return {
      title: "Sign in from elsewhere",
      body: html`!${problemHtml(problem)}
<p>Whoever signs in to an account that is linked can sign in here as you.</p>
!${shown.join("\n")}
!${none}!${linkLinks(all)}`,
    };
  };
  /** The session of somebody who has just proved who they are, or where they have to go first. */
  const provenSession = async (request: FastifyRequest): Promise<OpenSession | string> => {
    const session = await memberIn(parts, request);
    if (session === null) return "/sign-in?next=/link";
    return isProven(session, access.clock) ? session : "/prove?next=/link";
  };

  app.get("/link", PUBLIC, async (request, reply) => {
    const session = await provenSession(request);
    if (typeof session === "string") return goTo(reply, session);
    return sendPage(reply, await pageOf(session.personId));
  });

  app.post("/link/remove", PUBLIC, async (request, reply) => {
    const { id } = formOf(Removal, request);
    const session = await provenSession(request);
    if (typeof session === "string") return goTo(reply, session);
    const outcome = await removeIdentity(by(request), session.personId, id);
    if (outcome === "last") return sendPage(reply, await pageOf(session.personId, LAST), 409);
    return goTo(reply, "/link");
  });
};

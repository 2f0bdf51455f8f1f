import { html } from "ghtml";
import { z } from "zod";
import { UseCase } from "../../../schemas/access-request.ts";
import { Email } from "../../../schemas/email.ts";
import { confirmEmail, type EmailChange } from "../../access/email-change.ts";
import { lookAtInvitation, verifyInvitation } from "../../access/invite.ts";
import { requestAccess } from "../../access/requests.ts";
import { isToken } from "../../domain/access/secret-token.ts";
import type { App } from "../app.ts";
import { type Page, sendPage } from "../pages/page.ts";
import {
  BY_LINK,
  FIELD_MAX,
  formOf,
  goTo,
  type PageParts,
  PUBLIC,
  problemHtml,
  visitorOf,
} from "./page-parts.ts";
import { ASK_INVITER, overPage } from "./password-pages.ts";

const AccessForm = z.object({ email: z.string().max(FIELD_MAX), useCase: z.string().max(10_000) });

const requestPage = (asked = { email: "", useCase: "" }, problem: string | null = null): Page => ({
  title: "Ask for access",
  body: html`!${problemHtml(problem)}
<p>Access is by invitation. Tell us what you want to watch; somebody answers within 24 hours.</p>
<form method="post" action="/request-access">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="email" required autofocus value="${asked.email}">
<label for="useCase">What do you want to use it for?</label>
<textarea id="useCase" name="useCase" rows="5" minlength="20" maxlength="2000" required>${asked.useCase}</textarea>
<button>Ask for access</button>
</form>
<p class="faint"><br><a href="/sign-in">Sign in</a></p>`,
});

const ASKED: Page = {
  title: "Thank you",
  body: html`<p>We have your request, and answer by e-mail within 24 hours.</p>`,
};

const CONFIRMED: Readonly<Record<Exclude<EmailChange, "over">, Page>> = {
  changed: {
    title: "Your address is changed",
    body: html`<p>From now on you sign in with the new address.</p><p><a class="button" href="/">Go on</a></p>`,
  },
  "other-end": {
    title: "One address confirmed",
    body: html`<p>Now follow the link in the e-mail to the other address.</p>`,
  },
  taken: {
    title: "Your address was not changed",
    body: html`<p>Somebody signs in with the new address already.</p>`,
  },
};

/** How people come in: they ask for access, follow the link of an invitation, and prove that an address is theirs. */
export const invitationPages = (app: App, parts: PageParts): void => {
  const { access, by } = parts;

  app.get("/request-access", PUBLIC, async (_request, reply) => sendPage(reply, requestPage()));

  app.post("/request-access", PUBLIC, async (request, reply) => {
    const asked = formOf(AccessForm, request);
    const [email, useCase] = [Email.safeParse(asked.email), UseCase.safeParse(asked.useCase)];
    if (!email.success || !useCase.success) {
      const problem = email.success
        ? `What you want to use it for ${useCase.error?.issues[0]?.message ?? "is missing"}.`
        : "That is not one e-mail address.";
      return sendPage(reply, requestPage(asked, problem), 400);
    }
    const { network } = visitorOf(request);
    const refused = await requestAccess(by(request), { email: email.data, useCase: useCase.data }, network);
    if (refused !== null) {
      reply.header("Retry-After", String(Math.ceil(refused.waitMs / 1_000)));
      return sendPage(reply, requestPage(asked, "Too many requests came from here. Try again later."), 429);
    }
    return sendPage(reply, ASKED, 202);
  });

  app.get("/invitations/:token", BY_LINK, async (request, reply) => {
    const { token } = request.params;
    const invitation = isToken(token) ? await lookAtInvitation(access, token, "invitation") : null;
    if (invitation === null) return sendPage(reply, overPage(ASK_INVITER), 410);
    return sendPage(reply, {
      title: "You are invited",
      body: html`<p>Confirm that <strong>${invitation.email}</strong> is your address, and choose a password.</p>
<form method="post" action="/invitations/${token}"><button autofocus>Confirm my address</button></form>`,
    });
  });

  app.post("/invitations/:token", BY_LINK, async (request, reply) => {
    const { token } = request.params;
    const verified = isToken(token) ? await verifyInvitation(by(request), token) : null;
    if (verified === null) return sendPage(reply, overPage(ASK_INVITER), 410);
    return goTo(reply, verified.next === "sign-in" ? "/sign-in" : `/set-password/${verified.token}`);
  });

  app.get("/confirm-email/:token", BY_LINK, async (request, reply) => {
    const { token } = request.params;
    const link = isToken(token) ? await access.control.access.links.look(token, "confirm-email") : null;
    if (link === null) return sendPage(reply, overPage("Ask for the change once more."), 410);
    return sendPage(reply, {
      title: "Confirm the change",
      body: html`<p>Both addresses, the old one and the new one, confirm that you change it.</p>
<form method="post" action="/confirm-email/${token}"><button autofocus>Confirm</button></form>`,
    });
  });

  app.post("/confirm-email/:token", BY_LINK, async (request, reply) => {
    const { token } = request.params;
    const outcome = isToken(token) ? await confirmEmail(by(request), token) : "over";
    if (outcome === "over") return sendPage(reply, overPage("Ask for the change once more."), 410);
    return sendPage(reply, CONFIRMED[outcome], outcome === "taken" ? 409 : 200);
  });
};

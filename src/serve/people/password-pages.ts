import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "ghtml";
import { z } from "zod";
import { PersonId } from "../../../schemas/common.ts";
import { Email } from "../../../schemas/email.ts";
import { acceptInvitation, lookAtInvitation } from "../../access/invite.ts";
import { chosenPasswordFault } from "../../access/password-strength.ts";
import { resetPassword, sendReset } from "../../access/passwords.ts";
import { startSession } from "../../access/session.ts";
import { PASSWORD_MIN } from "../../domain/access/limits.ts";
import { normalPassword } from "../../domain/access/password-rules.ts";
import { isToken } from "../../domain/access/secret-token.ts";
import type { App } from "../app.ts";
import { type Page, sendPage } from "../pages/page.ts";
import { acceptLinks } from "./outside-words.ts";
import {
  BY_LINK,
  FIELD_MAX,
  formOf,
  goTo,
  type PageParts,
  PUBLIC,
  problemHtml,
  TypedPassword,
  visitorOf,
} from "./page-parts.ts";

const EmailForm = z.object({ email: z.string().max(FIELD_MAX) });
const PasswordForm = z.object({ password: TypedPassword });

export const ASK_INVITER = "Ask whoever invited you to send the invitation once more.";

/** One page for links that are unknown, used, expired or of another purpose. */
export const overPage = (what: string): Page => ({
  title: "This link works no more",
  body: html`<p>It was used before, has expired, was withdrawn or replaced by a newer one, or is not complete.</p>
<p>${what}</p>
<p><a class="button" href="/sign-in">Sign in</a></p>`,
});

const passwordPage = (
  { title, action, others }: { title: string; action: string; others: string },
  email: string,
  problem: string | null = null,
): Page => ({
  title,
  body: html`!${problemHtml(problem)}
<form method="post" action="${action}">
<label for="email">E-mail address</label>
<input id="email" name="username" type="email" autocomplete="username" value="${email}" readonly>
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${PASSWORD_MIN}" required autofocus>
<p class="faint">At least ${PASSWORD_MIN} characters, and not easy to guess. Several unrelated words do well.</p>
<button>Set password</button>
</form>
!${others}`,
});

const forgotPage = (problem: string | null = null): Page => ({
  title: "Set a new password",
  body: html`!${problemHtml(problem)}
<form method="post" action="/forgot-password">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus>
<button>Send a link</button>
</form>
<p class="faint"><br><a href="/sign-in">Back to sign-in</a></p>`,
});

const SENT: Page = {
  title: "Look into your mailbox",
  body: html`<p>If this address can sign in here, a link is on its way. It holds for 30 minutes.</p>
<p class="faint">Nothing there after some minutes? Look into the spam folder, or try again: one link a minute, five a day.</p>`,
};

/** How a kind of link sets a password. */
interface ByLink {
  readonly purpose: "reset-password" | "set-password";
  readonly title: string;
  /** What to do when it works no more. */
  readonly askAgain: string;
  /** Where to go next; null: the link works no more. */
  readonly set: (
    token: string,
    hash: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<string | null>;
}

/** Setting a password: the first one, by an invitation that was verified, or another one, by a link. */
export const passwordPages = (app: App, parts: PageParts): void => {
  const { access, by, cookies, background } = parts;
  const { control, passwords } = access;

  app.get("/forgot-password", PUBLIC, async (_request, reply) => sendPage(reply, forgotPage()));

  app.post("/forgot-password", PUBLIC, async (request, reply) => {
    const email = Email.safeParse(formOf(EmailForm, request).email).data;
    if (email === undefined) return sendPage(reply, forgotPage("That is no e-mail address."), 400);
    // Behind the answer, so that it takes no longer for an address that somebody has.
    const named = by(request);
    const { network } = visitorOf(request);
    await background(() => sendReset(named, email, network));
    return sendPage(reply, SENT, 202);
  });

  /** Whose password a link sets; null: it works no more. */
  const emailOfLink = async (token: string, purpose: ByLink["purpose"]): Promise<Email | null> => {
    if (!isToken(token)) return null;
    if (purpose === "set-password") return (await lookAtInvitation(access, token, purpose))?.email ?? null;
    const link = await control.access.links.look(token, purpose);
    return link && ((await control.access.people.get(PersonId.parse(link.subject)))?.email ?? null);
  };

  const byLink = ({ purpose, title, askAgain, set }: ByLink): void => {
    const path = `/${purpose}/:token`;
    const over = (reply: FastifyReply) => sendPage(reply, overPage(askAgain), 410);
    const page = (token: string, email: string, problem: string | null = null): Page => {
      // Whoever has a sign-in already gets no other one by e-mail.
      const others = purpose === "set-password" ? acceptLinks(access.outside.all, token) : "";
      return passwordPage({ title, action: `/${purpose}/${token}`, others }, email, problem);
    };
    app.get(path, BY_LINK, async (request, reply) => {
      const { token } = request.params;
      const email = await emailOfLink(token, purpose);
      if (email === null) return over(reply);
      return sendPage(reply, page(token, email));
    });
    app.post(path, BY_LINK, async (request, reply) => {
      const { token } = request.params;
      const { password } = formOf(PasswordForm, request);
      const email = await emailOfLink(token, purpose);
      if (email === null) return over(reply);
      const fault = chosenPasswordFault(password, [email]);
      if (fault !== null) return sendPage(reply, page(token, email, `The password ${fault}.`), 400);
      const next = await set(token, await passwords.hash(normalPassword(password)), request, reply);
      return next === null ? over(reply) : goTo(reply, next);
    });
  };

  byLink({
    purpose: "reset-password",
    title: "Set a new password",
    askAgain: "Ask for another link on the sign-in page.",
    set: async (token, hash, request, reply) => {
      if ((await resetPassword(by(request), token, hash)) === null) return null;
      cookies.clear(reply, "session");
      cookies.clear(reply, "challenge");
      return "/sign-in";
    },
  });

  byLink({
    purpose: "set-password",
    title: "Choose a password",
    askAgain: ASK_INVITER,
    set: async (token, hash, request, reply) => {
      const named = by(request);
      const accepted = await acceptInvitation(named, token, hash);
      if (accepted === null) return null;
      // Somebody known signs in as ever, with all that it takes.
      if (!accepted.isNew) return "/sign-in";
      const session = await startSession(named.control, named, accepted.person, false, visitorOf(request));
      cookies.set(reply, "session", session);
      return "/";
    },
  });
};

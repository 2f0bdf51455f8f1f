import { html } from "ghtml";
import { z } from "zod";
import { Email } from "../../../schemas/email.ts";
import { becomeFirstOwner } from "../../access/first-owner.ts";
import { chosenPasswordFault } from "../../access/password-strength.ts";
import { startSession } from "../../access/session.ts";
import { PASSWORD_MIN } from "../../domain/access/limits.ts";
import { normalPassword } from "../../domain/access/password-rules.ts";
import { isToken } from "../../domain/access/secret-token.ts";
import type { App } from "../app.ts";
import { type Page, sendPage } from "../pages/page.ts";
import {
  BY_LINK,
  FIELD_MAX,
  formOf,
  goTo,
  type PageParts,
  problemHtml,
  TypedPassword,
  visitorOf,
} from "./page-parts.ts";
import { overPage } from "./password-pages.ts";

const Form = z.object({ email: z.string().max(FIELD_MAX), password: TypedPassword });

const START_AGAIN = "While there is no owner, the service shows another link whenever it starts.";

const ownerPage = (token: string, email: string, isFixed: boolean, problem: string | null = null): Page => ({
  title: "Set up your sign-in",
  body: html`!${problemHtml(problem)}
<p>You become the owner of this installation.</p>
<form method="post" action="/first-owner/${token}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required value="${email}" !${isFixed ? "readonly" : "autofocus"}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${PASSWORD_MIN}" required>
<p class="faint">At least ${PASSWORD_MIN} characters, and not easy to guess. Several unrelated words do well.</p>
<button>Go on</button>
</form>`,
});

/** Where the link of the first start leads: nobody can be invited before there is somebody to invite them. */
export const firstOwnerPage = (app: App, { access, by, cookies }: PageParts): void => {
  const { control, passwords } = access;
  const look = async (token: string) =>
    isToken(token) ? control.access.links.look(token, "first-owner") : null;

  app.get("/first-owner/:token", BY_LINK, async (request, reply) => {
    const { token } = request.params;
    const link = await look(token);
    if (link === null) return sendPage(reply, overPage(START_AGAIN), 410);
    return sendPage(reply, ownerPage(token, link.content ?? "", link.content !== null));
  });

  app.post("/first-owner/:token", BY_LINK, async (request, reply) => {
    const { token } = request.params;
    const link = await look(token);
    if (link === null) return sendPage(reply, overPage(START_AGAIN), 410);
    const form = formOf(Form, request);
    const again = (problem: string) =>
      sendPage(reply, ownerPage(token, form.email, link.content !== null, problem), 400);
    const email = Email.safeParse(form.email).data;
    if (email === undefined) return again("That is not one e-mail address.");
    const fault = chosenPasswordFault(form.password, [email]);
    if (fault !== null) return again(`The password ${fault}.`);
    const hash = await passwords.hash(normalPassword(form.password));
    const person = await becomeFirstOwner(by(request), token, email, hash);
    if (person === null) return sendPage(reply, overPage(START_AGAIN), 410);
    const session = await startSession(by(request).control, access, person, false, visitorOf(request));
    cookies.set(reply, "session", session);
    return goTo(reply, "/");
  });
};

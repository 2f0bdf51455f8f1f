import { html } from "ghtml";
import { z } from "zod";
import { hasOwner } from "../../access/first-owner.ts";
import { passSecondFactor } from "../../access/second-factor.ts";
import { signIn } from "../../access/sign-in.ts";
import { returnPath } from "../../domain/access/return-path.ts";
import type { App } from "../app.ts";
import { type Page, sendPage } from "../pages/page.ts";
import { admit } from "./admit.ts";
import { codePage } from "./code-page.ts";
import { signInLinks } from "./outside-words.ts";
import {
  FIELD_MAX,
  formOf,
  goTo,
  NextQuery,
  type PageParts,
  PUBLIC,
  problemHtml,
  sessionOf,
  TypedPassword,
  visitorOf,
} from "./page-parts.ts";

const Credentials = z.object({
  email: z.string().max(FIELD_MAX),
  password: TypedPassword,
  next: z.string().max(2_000).optional(),
});
const Code = z.object({ code: z.string().max(FIELD_MAX), next: z.string().max(2_000).optional() });

/** The same for a wrong password, an unknown address, a locked one, and one that is not yet in. */
const REFUSED =
  "The e-mail address or the password is wrong, or there were too many attempts. Try again, in 15 minutes at the latest, or set a new password.";

/** Where the service was just installed: whoever comes here first has no other way in. */
const UNOWNED = `<p class="problem">Nobody can sign in yet: the first owner comes in by a link. The service prints it when it starts, beside “Owner”, or sends it to OWNER_EMAIL where that is set.</p>`;

const signInPage = (others: string, next: string, email = "", above = ""): Page => ({
  title: "Sign in",
  body: html`!${above}
<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" required autofocus value="${email}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>
!${others}
<p class="faint"><br><a href="/forgot-password">Forgot your password?</a> · <a href="/request-access">Ask for access</a></p>`,
});

/** Signing in and out. A session begins with a token of its own: what the browser brought is never taken up. */
export const signInPages = (app: App, parts: PageParts): void => {
  const { access, by, cookies } = parts;
  const page = (next: string, email = "", above = ""): Page =>
    signInPage(signInLinks(access.outside.all, next), next, email, above);
  let isOwned = false;

  app.get("/sign-in", PUBLIC, async (request, reply) => {
    const next = returnPath(NextQuery.parse(request.query).next);
    if ((await sessionOf(parts, request)) !== null) return goTo(reply, next);
    // The last owner stays.
    isOwned ||= await hasOwner(access);
    return sendPage(reply, page(next, "", isOwned ? "" : UNOWNED));
  });

  app.post("/sign-in", PUBLIC, async (request, reply) => {
    const { email, password, next: asked } = formOf(Credentials, request);
    const next = returnPath(asked);
    const outcome = await signIn(by(request), { email, password }, visitorOf(request));
    if (outcome.state === "refused") return sendPage(reply, page(next, email, problemHtml(REFUSED)), 401);
    return admit(parts, request, reply, outcome, next);
  });

  app.get("/sign-in/code", PUBLIC, async (request, reply) => {
    const next = returnPath(NextQuery.parse(request.query).next);
    if (cookies.read(request, "challenge") === null) return goTo(reply, "/sign-in");
    return sendPage(reply, codePage("/sign-in/code", next));
  });

  app.post("/sign-in/code", PUBLIC, async (request, reply) => {
    const { code, next: asked } = formOf(Code, request);
    const next = returnPath(asked);
    const challenge = cookies.read(request, "challenge");
    const passed =
      challenge === null
        ? ({ state: "over" } as const)
        : await passSecondFactor(by(request), challenge, code, visitorOf(request));
    if (passed.state === "refused")
      return sendPage(reply, codePage("/sign-in/code", next, "The code is wrong, or was used before."), 401);
    cookies.clear(reply, "challenge");
    if (passed.state === "over") {
      const problem = "That took too long, or too many tries. Please sign in again.";
      return sendPage(reply, page(next, "", problemHtml(problem)), 401);
    }
    cookies.set(reply, "session", passed.token);
    return goTo(reply, next);
  });

  app.post("/sign-out", PUBLIC, async (request, reply) => {
    const session = await sessionOf(parts, request);
    if (session !== null) await by(request).control.access.sessions.end(session.personId, session.id);
    cookies.clear(reply, "session");
    return goTo(reply, "/sign-in");
  });
};

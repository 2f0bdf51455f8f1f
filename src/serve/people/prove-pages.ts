import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "ghtml";
import { z } from "zod";
import { proveByCode } from "../../access/outside-proof.ts";
import { proveAgain } from "../../access/proof.ts";
import { returnPath } from "../../domain/access/return-path.ts";
import type { OpenSession, Person } from "../../ports/access.ts";
import type { App } from "../app.ts";
import { type Page, sendPage } from "../pages/page.ts";
import { codePage } from "./code-page.ts";
import { proveLinks } from "./outside-words.ts";
import {
  FIELD_MAX,
  formOf,
  goTo,
  memberIn,
  NextQuery,
  type PageParts,
  PUBLIC,
  problemHtml,
  TypedPassword,
  visitorOf,
} from "./page-parts.ts";

const Next = z.string().max(2_000).optional();
const Proof = z.object({ password: TypedPassword, code: z.string().max(FIELD_MAX).optional(), next: Next });
const Code = z.object({ code: z.string().max(FIELD_MAX), next: Next });

const CODE_FIELD = html`<label for="code">Code of your authenticator app</label>
<input id="code" name="code" autocomplete="one-time-code" required>`;

const passwordForm = (
  next: string,
  hasSecondFactor: boolean,
): string => html`<form method="post" action="/prove">
<input type="hidden" name="next" value="${next}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required autofocus>
!${hasSecondFactor ? CODE_FIELD : ""}
<button>Go on</button>
</form>`;

const NO_WAY = html`<p>You have no password yet.</p><p><a class="button" href="/forgot-password">Set one</a></p>`;

const provePage = (person: Person, others: string, next: string, problem: string | null = null): Page => {
  const form = person.password === null ? "" : passwordForm(next, person.secondFactorSince !== null);
  return {
    title: "Say once more who you are",
    body: html`!${problemHtml(problem)}<p>What you want to do is dangerous in the hands of somebody else.</p>
!${form === "" && others === "" ? NO_WAY : form}
!${others}`,
  };
};

/** Where people who are signed in say once more who they are: by password, or by an account elsewhere that is theirs. */
export const provePages = (app: App, parts: PageParts): void => {
  const { access, by, cookies, renew } = parts;
  const { people, identities } = access.control.access;

  const pageOf = async ({ personId }: OpenSession, next: string, problem: string | null = null) => {
    const person = await people.get(personId);
    if (person === null) throw new Error("a session is of nobody");
    const issuers = new Set((await identities.of(personId)).map(({ issuer }) => URL.parse(issuer)?.href));
    const theirs = access.outside.all.filter(({ issuer }) => issuers.has(new URL(issuer).href));
    return provePage(person, proveLinks(theirs, next), next, problem);
  };
  const goOn = async (request: FastifyRequest, reply: FastifyReply, next: string) => {
    const token = cookies.read(request, "session");
    if (token !== null) await renew(token, reply);
    return goTo(reply, next);
  };
  const signInFirst = (reply: FastifyReply, next: string) =>
    goTo(reply, `/sign-in?next=${encodeURIComponent(next)}`);

  app.get("/prove", PUBLIC, async (request, reply) => {
    const next = returnPath(NextQuery.parse(request.query).next);
    const session = await memberIn(parts, request);
    if (session === null) return signInFirst(reply, next);
    return sendPage(reply, await pageOf(session, next));
  });

  app.post("/prove", PUBLIC, async (request, reply) => {
    const { password, code, next: asked } = formOf(Proof, request);
    const next = returnPath(asked);
    const session = await memberIn(parts, request);
    const person = session === null ? null : await people.get(session.personId);
    if (session === null || person === null) return signInFirst(reply, next);
    const { network } = visitorOf(request);
    if (!(await proveAgain(by(request), person, session.id, { password, code }, network))) {
      const problem = "The password or the code is wrong, or there were too many attempts.";
      return sendPage(reply, await pageOf(session, next, problem), 401);
    }
    return goOn(request, reply, next);
  });

  app.get("/prove/code", PUBLIC, async (request, reply) =>
    sendPage(reply, codePage("/prove/code", returnPath(NextQuery.parse(request.query).next))),
  );

  app.post("/prove/code", PUBLIC, async (request, reply) => {
    const { code, next: asked } = formOf(Code, request);
    const next = returnPath(asked);
    const session = await memberIn(parts, request);
    const challenge = cookies.read(request, "challenge");
    const again = `/prove?next=${encodeURIComponent(next)}`;
    if (session === null || challenge === null) return goTo(reply, again);
    const proven = await proveByCode(by(request), session, challenge, code);
    if (proven === "refused") {
      const problem = "The code is wrong, or was used before.";
      return sendPage(reply, codePage("/prove/code", next, problem), 401);
    }
    cookies.clear(reply, "challenge");
    return proven === "over" ? goTo(reply, again) : goOn(request, reply, next);
  });
};

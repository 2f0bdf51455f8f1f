import type { FastifyReply, FastifyRequest } from "fastify";
import { html } from "ghtml";
import type { SessionId } from "../../../schemas/common.ts";
import { acceptByIdentity, type Linked, linkIdentity, signInByIdentity } from "../../access/outside.ts";
import type { Attempt } from "../../access/outside-attempt.ts";
import { proveByIdentity } from "../../access/outside-proof.ts";
import { startSession } from "../../access/session.ts";
import type { OutsideIdentity, OutsideProvider } from "../../ports/outside-providers.ts";
import { sendPage } from "../pages/page.ts";
import { admit } from "./admit.ts";
import { failurePage, LOCKED, problemPage } from "./outside-words.ts";
import { goTo, memberIn, type PageParts, visitorOf } from "./page-parts.ts";
import { ASK_INVITER, overPage } from "./password-pages.ts";

interface Arrival {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly provider: OutsideProvider;
  readonly attempt: Attempt;
  /** Whom the provider vouches for. */
  readonly identity: OutsideIdentity;
}

const NOT_LINKED: Readonly<Record<Exclude<Linked, "linked" | "known">, string>> = {
  taken: "That account signs in somebody else here.",
  full: "You have linked as many accounts as anybody may: remove one first.",
};

/** What becomes of somebody whom a provider vouches for, by what they wanted. */
export const outsideArrivals = (parts: PageParts) => {
  const { by, cookies, renew } = parts;

  const signIn = async ({ request, reply, provider, attempt, identity }: Arrival) => {
    const outcome = await signInByIdentity(by(request), identity, visitorOf(request));
    if (outcome.state === "refused")
      return sendPage(reply, problemPage("You were not signed in", LOCKED, "/sign-in"), 429);
    if (outcome.state !== "unknown") return admit(parts, request, reply, outcome, attempt.next);
    const what = `Nobody signs in here with that account at ${provider.name}. If you have a sign-in, use it, and link the account then; if you are invited, follow the link in the e-mail.`;
    return sendPage(reply, problemPage("You were not signed in", what, "/sign-in", "Sign in"), 403);
  };

  const accept = async ({ request, reply, identity }: Arrival, token: string) => {
    const accepted = await acceptByIdentity(by(request), token, identity);
    if (accepted === "over") return sendPage(reply, overPage(ASK_INVITER), 410);
    if (accepted === "taken") {
      const page = problemPage("You are not in yet", NOT_LINKED.taken, `/set-password/${token}`);
      return sendPage(reply, page, 409);
    }
    // Somebody known signs in as ever, with all that it takes.
    if (!accepted.isNew) return goTo(reply, "/sign-in");
    const named = by(request);
    const session = await startSession(named.control, named, accepted.person, false, visitorOf(request));
    return admit(parts, request, reply, { state: "signed-in", token: session }, "/");
  };

  /** The session that the way began in, if it is still the browser's. */
  const sameSession = async ({ request }: Arrival, id: SessionId) => {
    const session = await memberIn(parts, request);
    return session?.id === id ? session : null;
  };
  const over = ({ reply, provider }: Arrival) => sendPage(reply, ...failurePage(provider, { state: "over" }));

  const link = async (arrival: Arrival, id: SessionId) => {
    const { request, reply, provider, identity } = arrival;
    const session = await sameSession(arrival, id);
    if (session === null) return over(arrival);
    const linked = await linkIdentity(by(request), session.personId, identity);
    if (linked === "taken" || linked === "full")
      return sendPage(reply, problemPage("Nothing was linked", NOT_LINKED[linked], "/link"), 409);
    return sendPage(reply, {
      title: `You can sign in with ${provider.name}`,
      body: html`<p>Your account there is linked.</p><p><a class="button" href="/">Go on</a></p>`,
    });
  };

  const prove = async (arrival: Arrival, id: SessionId) => {
    const { request, reply, provider, attempt, identity } = arrival;
    const session = await sameSession(arrival, id);
    if (session === null) return over(arrival);
    const proven = await proveByIdentity(by(request), session, identity);
    const again = `/prove?next=${encodeURIComponent(attempt.next)}`;
    if (proven.state === "other") {
      const what = `That account at ${provider.name} is not linked to yours.`;
      return sendPage(reply, problemPage("That is somebody else", what, again), 403);
    }
    if (proven.state === "second-factor") {
      cookies.set(reply, "challenge", proven.token);
      return goTo(reply, again.replace("/prove", "/prove/code"));
    }
    const token = cookies.read(request, "session");
    if (token !== null) await renew(token, reply);
    return goTo(reply, attempt.next);
  };

  return (arrival: Arrival) => {
    const { intent } = arrival.attempt;
    switch (intent.kind) {
      case "sign-in":
        return signIn(arrival);
      case "accept":
        return accept(arrival, intent.token);
      case "link":
        return link(arrival, intent.session);
      case "prove":
        return prove(arrival, intent.session);
    }
  };
};

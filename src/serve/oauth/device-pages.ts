import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { AccountId } from "../../../schemas/common.ts";
import { type Asked, offerTo, scopesAsked } from "../../access/consent.ts";
import { findProgram } from "../../access/programs.ts";
import { WRONG_USER_CODES } from "../../domain/access/limits.ts";
import type { OpenSession } from "../../ports/access.ts";
import type { App } from "../app.ts";
import { sendPage } from "../pages/page.ts";
import { FIELD_MAX, formOf, goTo, type PageParts, PUBLIC, sessionOf } from "../people/page-parts.ts";
import { isProven, proveFirst } from "../people/proof.ts";
import { isOffer } from "./asking.ts";
import { decide, findDevice, type WaitingDevice } from "./device.ts";
import { type Choice, codePage, DECISION_PATH, donePage, questionPage } from "./device-forms.ts";
import type { OAuth } from "./oauth.ts";
import { PATHS } from "./paths.ts";

const Query = z.object({ user_code: z.string().max(FIELD_MAX).catch("") }).partial();
const Typed = z.object({ user_code: z.string().max(FIELD_MAX) });
const Decision = Typed.extend({
  account: AccountId.optional(),
  decision: z.enum(["allow", "refuse", "look"]),
});

const UNKNOWN =
  "This code is wrong, was used before, or is too old. Look at it once more, or begin again on the device.";
const TOO_OFTEN = "Too many codes were wrong. Try again in 15 minutes.";

/** A device that waits, and what it asks for. */
interface Waiting {
  readonly device: WaitingDevice;
  readonly asked: Asked;
}

const pathFor = (userCode: string): string =>
  userCode === "" ? PATHS.device : `${PATHS.device}?${new URLSearchParams({ user_code: userCode })}`;

/** Where a person lets a device in that has no browser, by the code that it shows. */
export const devicePages = (app: App, parts: PageParts, oauth: OAuth): void => {
  const { access } = parts;
  const { control } = access;

  const signInFirst = (reply: FastifyReply, userCode: string) =>
    goTo(reply, `/sign-in?next=${encodeURIComponent(pathFor(userCode))}`);

  /** Under a code that a person has typed; those who guess are stopped. */
  const waitingUnder = async (
    { personId }: OpenSession,
    typed: string,
  ): Promise<Waiting | typeof TOO_OFTEN | typeof UNKNOWN> => {
    const guess = [{ name: `code of a device by ${personId}`, limit: WRONG_USER_CODES }];
    if ((await control.access.attempts.count(guess)) !== null) return TOO_OFTEN;
    const device = await findDevice(oauth, typed);
    const program = device === null ? null : await findProgram(control.access.oauth.clients, device.clientId);
    if (device === null || program === null) return UNKNOWN;
    await control.access.attempts.uncount(guess);
    return { device, asked: { program, scopes: scopesAsked(program, device.scope) } };
  };

  /** Whoever is signed in, and what waits under the code; null: the answer was given. */
  const typedBy = async (request: FastifyRequest, reply: FastifyReply, typed: string) => {
    const session = await sessionOf(parts, request);
    if (session === null) {
      await signInFirst(reply, typed);
      return null;
    }
    const waiting = await waitingUnder(session, typed);
    if (typeof waiting === "object") return { session, waiting };
    await sendPage(reply, codePage(typed, waiting), waiting === TOO_OFTEN ? 429 : 400);
    return null;
  };

  /** Who belongs to several accounts says which one it is for, unless the program belongs to one. */
  const choicesOf = async ({ personId }: OpenSession, { program }: Asked): Promise<readonly Choice[]> => {
    if (program.accountId !== null) return [];
    return (await control.access.members.of(personId)).filter(({ suspendedAt }) => suspendedAt === null);
  };

  const ask = async (
    reply: FastifyReply,
    session: OpenSession,
    { device, asked }: Waiting,
    chosen: AccountId | null,
  ) => {
    const offer = await offerTo(access, session, asked, chosen);
    const choices = await choicesOf(session, asked);
    return sendPage(reply, questionPage({ device, asked, offer, chosen, choices }, session.email));
  };

  app.get(PATHS.device, PUBLIC, async (request, reply) => {
    const { user_code: userCode = "" } = Query.parse(request.query);
    const session = await sessionOf(parts, request);
    return session === null ? signInFirst(reply, userCode) : sendPage(reply, codePage(userCode));
  });

  app.post(PATHS.device, PUBLIC, async (request, reply) => {
    const found = await typedBy(request, reply, formOf(Typed, request).user_code);
    return found === null ? reply : ask(reply, found.session, found.waiting, found.session.accountId);
  });

  app.post(DECISION_PATH, PUBLIC, async (request, reply) => {
    const { user_code: typed, account = null, decision } = formOf(Decision, request);
    const found = await typedBy(request, reply, typed);
    if (found === null) return reply;
    const { session, waiting } = found;
    const chosen = account ?? session.accountId;
    if (decision === "look") return ask(reply, session, waiting, chosen);
    const offer = decision === "refuse" ? null : await offerTo(access, session, waiting.asked, chosen);
    if (offer !== null && !isOffer(offer)) return ask(reply, session, waiting, chosen);
    if (offer !== null && !isProven(session, access.clock))
      return proveFirst(reply, pathFor(waiting.device.shownCode));
    if (!(await decide(oauth, parts.by(request), session, waiting, offer)))
      return sendPage(reply, codePage(typed, UNKNOWN), 400);
    const { name } = waiting.asked.program.settings;
    return sendPage(
      reply,
      offer === null
        ? donePage("Refused", `${name} was not let in. You may close this page.`)
        : donePage("Done", `${name} is let in. You may close this page, and go back to the device.`),
    );
  });
};

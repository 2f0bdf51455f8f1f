import type { FastifyRequest } from "fastify";
import { toString as qrCode } from "qrcode";
import { z } from "zod";
import { AuditAnswer } from "../../../schemas/audit.ts";
import { ListQuery, SessionId } from "../../../schemas/common.ts";
import {
  Code,
  EmailChangeAsked,
  EmailChangeRequest,
  EnterAccount,
  Me,
  PasswordChange,
  Proof,
  RecoveryCodes,
  SecondFactorProposal,
  SessionsAnswer,
} from "../../../schemas/me.ts";
import { askForEmailChange } from "../../access/email-change.ts";
import { chosenPasswordFault } from "../../access/password-strength.ts";
import { changePassword } from "../../access/passwords.ts";
import { proveAgain } from "../../access/proof.ts";
import {
  confirmSecondFactor,
  newRecoveryCodes,
  proposeSecondFactor,
  removeSecondFactor,
} from "../../access/second-factor.ts";
import type { Person } from "../../ports/access.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf, ownSessionOf } from "../authentication.ts";
import type { Parts } from "../parts.ts";
import { visitorOf } from "../people/page-parts.ts";
import { requireProof } from "../people/proof.ts";
import { notFound, ProblemError, tooMany, validationFailed } from "../problem.ts";
import { auditEntry } from "./audit.ts";

const config = { access: "person" } as const;
const SessionPath = z.strictObject({ id: SessionId });

const wrong = (path: string, message: string): ProblemError => validationFailed([{ path, message }]);

/** What people do about themselves: only with a session, never with a key. */
export const meRoutes = (app: App, { access, people, clock }: Parts): void => {
  const { control } = access;
  const { sessions, members } = control.access;

  const personOf = async (request: FastifyRequest): Promise<Person> => {
    const person = await control.access.people.get(ownSessionOf(request).personId);
    if (person === null) throw notFound("person any more");
    return person;
  };
  /** What a session may do has changed: what it is known by does, too. */
  const renew = async (request: FastifyRequest, reply: Parameters<typeof people.renew>[1]): Promise<void> => {
    const token = people.cookies.read(request, "session");
    if (token !== null) await people.renew(token, reply);
  };

  app.get("/v1/me", { config, schema: { response: answers({ 200: Me }) } }, async (request) => {
    const { id: sessionId, role, accountId, provenAt, mustSetUpSecondFactor } = ownSessionOf(request);
    const person = await personOf(request);
    const memberships = await members.of(person.id);
    if (role === null || accountId === null) throw notFound("account that you are in");
    return {
      id: person.id,
      email: person.email,
      accountId,
      role,
      secondFactor: person.secondFactorSince !== null,
      mustSetUpSecondFactor,
      recoveryCodesLeft: await control.access.people.recoveryCodesLeft(person.id),
      sessionId,
      provenAt: timestamp(provenAt),
      accounts: memberships
        .filter(({ suspendedAt }) => suspendedAt === null)
        .map((membership) => ({ id: membership.accountId, role: membership.role })),
    };
  });

  app.put("/v1/me/account", { config, schema: { body: EnterAccount } }, async (request, reply) => {
    const { accountId } = request.body;
    const session = ownSessionOf(request);
    const isThere = await control.transaction(async ({ access: within }) => {
      // Whoever suspends them at the same time waits, and ends the session there; or is waited for.
      await within.people.hold(session.personId);
      const mine = await within.members.of(session.personId);
      if (!mine.some((one) => one.accountId === accountId && one.suspendedAt === null)) return false;
      await within.sessions.enter(session.id, accountId);
      return true;
    });
    if (!isThere) throw notFound("account of this id that you are in");
    await renew(request, reply);
    return reply.code(204).send();
  });

  app.put("/v1/me/proof", { config, schema: { body: Proof } }, async (request, reply) => {
    const proven = await proveAgain(
      people.by(request),
      await personOf(request),
      ownSessionOf(request).id,
      request.body,
      visitorOf(request).network,
    );
    if (!proven)
      throw new ProblemError(
        "forbidden",
        "the password or the code is wrong, or there were too many attempts; without a password, open /prove in the browser",
      );
    await renew(request, reply);
    return reply.code(204).send();
  });

  app.put("/v1/me/password", { config, schema: { body: PasswordChange } }, async (request, reply) => {
    const person = await personOf(request);
    const fault = chosenPasswordFault(request.body.next, [person.email]);
    if (fault !== null) throw wrong("next", fault);
    const { network } = visitorOf(request);
    const session = ownSessionOf(request);
    if (!(await changePassword(people.by(request), person, request.body, session.id, network)))
      throw new ProblemError(
        "forbidden",
        "the current password is wrong, or there were too many attempts; the first one is set by a link from /forgot-password",
      );
    await renew(request, reply);
    return reply.code(204).send();
  });

  app.put(
    "/v1/me/email",
    { config, schema: { body: EmailChangeRequest, response: answers({ 202: EmailChangeAsked }) } },
    async (request, reply) => {
      requireProof(callerOf(request), clock);
      const refused = await askForEmailChange(
        people.by(request),
        await personOf(request),
        request.body.email,
      );
      if (refused !== null) throw tooMany("changes were asked for", refused.waitMs);
      return reply.code(202).send({ status: "sent" });
    },
  );

  app.get(
    "/v1/me/sessions",
    { config, schema: { response: answers({ 200: SessionsAnswer }) } },
    async (request) => {
      const { id: own, personId } = ownSessionOf(request);
      const all = await sessions.list(personId);
      return {
        sessions: all.map(({ id, userAgent, address, createdAt, lastSeenAt }) => ({
          id,
          current: id === own,
          userAgent,
          address,
          createdAt: timestamp(createdAt),
          lastSeenAt: timestamp(lastSeenAt),
        })),
      };
    },
  );

  app.get(
    "/v1/me/security-log",
    { config, schema: { querystring: ListQuery, response: answers({ 200: AuditAnswer }) } },
    async (request) => {
      const { personId } = ownSessionOf(request);
      const page = await control.audit.list({ personId }, request.query);
      return { entries: page.items.map(auditEntry), nextCursor: page.next };
    },
  );

  app.delete("/v1/me/sessions/:id", { config, schema: { params: SessionPath } }, async (request, reply) => {
    const { personId } = ownSessionOf(request);
    if (!(await people.by(request).control.access.sessions.end(personId, request.params.id)))
      throw notFound("session of this id");
    return reply.code(204).send();
  });

  app.put(
    "/v1/me/second-factor",
    { config, schema: { response: answers({ 200: SecondFactorProposal }) } },
    async (request, reply) => {
      requireProof(callerOf(request), clock);
      const proposal = await proposeSecondFactor(people.by(request), await personOf(request));
      if (proposal === null)
        throw new ProblemError(
          "conflict",
          "there is a second factor: remove it before you set up another one",
        );
      const svg = await qrCode(proposal.uri, { type: "svg" });
      return reply.header("Cache-Control", "no-store").send({ ...proposal, qrCode: svg });
    },
  );

  app.put(
    "/v1/me/second-factor/confirmation",
    { config, schema: { body: Code, response: answers({ 200: RecoveryCodes }) } },
    async (request, reply) => {
      const codes = await confirmSecondFactor(people.by(request), await personOf(request), request.body.code);
      if (codes === null)
        throw wrong(
          "code",
          "is wrong or too old, or there were too many attempts: take the one that the app shows now",
        );
      await sessions.proven(ownSessionOf(request).id, true);
      await renew(request, reply);
      return reply.header("Cache-Control", "no-store").send({ recoveryCodes: codes });
    },
  );

  app.delete("/v1/me/second-factor", { config }, async (request, reply) => {
    requireProof(callerOf(request), clock);
    await removeSecondFactor(people.by(request), await personOf(request));
    await renew(request, reply);
    return reply.code(204).send();
  });

  app.put(
    "/v1/me/recovery-codes",
    { config, schema: { response: answers({ 200: RecoveryCodes }) } },
    async (request, reply) => {
      requireProof(callerOf(request), clock);
      const person = await personOf(request);
      if (person.secondFactorSince === null)
        throw new ProblemError("conflict", "there is no second factor that recovery codes could stand for");
      const recoveryCodes = await newRecoveryCodes(people.by(request), person.id);
      return reply.header("Cache-Control", "no-store").send({ recoveryCodes });
    },
  );
};

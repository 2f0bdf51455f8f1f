import type { FastifyReply } from "fastify";
import { z } from "zod";
import { type AccountId, InvitationId, ListQuery, PersonId } from "../../../schemas/common.ts";
import {
  type Invitation,
  InvitationCreate,
  Invitation as InvitationShown,
  InvitationsAnswer,
  type Member,
  MemberPatch,
  Member as MemberShown,
  MembersAnswer,
} from "../../../schemas/member.ts";
import { invite, isMember, removeMember, resend, revokeInvitation } from "../../access/invite.ts";
import { invitationState } from "../../domain/access/invitation.ts";
import type { Invitation as StoredInvitation, Member as StoredMember } from "../../ports/access.ts";
import { answers, timestamp } from "../answers.ts";
import type { App } from "../app.ts";
import { callerOf } from "../authentication.ts";
import { etagOf, expectedOf } from "../etag.ts";
import type { Parts } from "../parts.ts";
import { requireProof } from "../people/proof.ts";
import { notFound, ProblemError, tooMany } from "../problem.ts";
import { made } from "../settle.ts";

const ADMIN = { access: "admin" } as const;
const MemberPath = z.strictObject({ id: PersonId });
const InvitationPath = z.strictObject({ id: InvitationId });

const shownMember = (member: StoredMember): Member => ({
  id: member.personId,
  email: member.email,
  role: member.role,
  secondFactor: member.hasSecondFactor,
  suspendedAt: member.suspendedAt === null ? null : timestamp(member.suspendedAt),
  joinedAt: timestamp(member.createdAt),
});

const WHAT = "member of this id";
/** Where too many invitations were. */
export const SENT = "e-mails were sent to this address";

/** Who is in the account, and who is invited into it. */
export const memberRoutes = (app: App, { access, people, by, clock, onceBeside }: Parts): void => {
  const { control } = access;
  const { members, invitations } = control.access;

  const shown = (invitation: StoredInvitation): Invitation => ({
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    state: invitationState(invitation, clock.now()),
    accessRequestId: invitation.accessRequestId,
    createdAt: timestamp(invitation.createdAt),
    expiresAt: timestamp(invitation.expiresAt),
  });

  app.get(
    "/v1/members",
    { config: ADMIN, schema: { querystring: ListQuery, response: answers({ 200: MembersAnswer }) } },
    async (request) => {
      const page = await members.list(callerOf(request).accountId, request.query);
      return { members: page.items.map(shownMember), nextCursor: page.next };
    },
  );

  const answered = (reply: FastifyReply, member: StoredMember) =>
    reply.header("ETag", etagOf(member.revision)).send(shownMember(member));

  app.get(
    "/v1/members/:id",
    { config: ADMIN, schema: { params: MemberPath, response: answers({ 200: MemberShown }) } },
    async (request, reply) => {
      const member = await members.get(callerOf(request).accountId, request.params.id);
      if (member === null) throw notFound(WHAT);
      return answered(reply, member);
    },
  );

  app.patch(
    "/v1/members/:id",
    {
      config: ADMIN,
      schema: { params: MemberPath, body: MemberPatch, response: answers({ 200: MemberShown }) },
    },
    async (request, reply) => {
      const caller = callerOf(request);
      requireProof(caller, clock);
      const { role, suspended } = request.body;
      const patch = {
        ...(role === undefined ? {} : { role }),
        ...(suspended === undefined ? {} : { isSuspended: suspended }),
      };
      const { id } = request.params;
      const mine = by(request).access.members;
      const changed = await mine.change(caller.accountId, id, patch, expectedOf(request));
      const { before, after } = made(WHAT, changed).value;
      return answered(reply, after ?? before);
    },
  );

  app.delete("/v1/members/:id", { config: ADMIN, schema: { params: MemberPath } }, async (request, reply) => {
    const caller = callerOf(request);
    requireProof(caller, clock);
    const { id } = request.params;
    made(WHAT, await removeMember(by(request), caller.accountId, id, expectedOf(request)));
    return reply.code(204).send();
  });

  app.post(
    "/v1/invitations",
    {
      config: ADMIN,
      schema: {
        body: InvitationCreate,
        response: answers({ 200: InvitationShown, 201: InvitationShown }),
      },
    },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const caller = callerOf(request);
        requireProof(caller, clock);
        const { accountId } = caller;
        const { body } = request;
        const invited = await by(request).transaction(async (within) =>
          (await isMember(within, accountId, body.email))
            ? null
            : invite(within, access, { accountId, ...body }),
        );
        if (invited === null) throw new ProblemError("conflict", `${body.email} is a member already`);
        if ("waitMs" in invited) throw tooMany(SENT, invited.waitMs);
        const { invitation, isNew } = invited;
        if (!isNew) return { status: 200, body: shown(invitation) };
        const headers = { Location: `/v1/invitations/${invitation.id}` };
        return { status: 201, headers, body: shown(invitation) };
      }),
  );

  app.get(
    "/v1/invitations",
    { config: ADMIN, schema: { querystring: ListQuery, response: answers({ 200: InvitationsAnswer }) } },
    async (request) => {
      const page = await invitations.list(callerOf(request).accountId, request.query);
      return { invitations: page.items.map(shown), nextCursor: page.next };
    },
  );

  const owned = async (accountId: AccountId, id: InvitationId): Promise<StoredInvitation> => {
    const found = await invitations.get(id);
    if (found === null || found.accountId !== accountId) throw notFound("invitation of this id");
    return found;
  };

  app.get(
    "/v1/invitations/:id",
    { config: ADMIN, schema: { params: InvitationPath, response: answers({ 200: InvitationShown }) } },
    async (request) => shown(await owned(callerOf(request).accountId, request.params.id)),
  );

  app.post(
    "/v1/invitations/:id/resend",
    { config: ADMIN, schema: { params: InvitationPath, response: answers({ 200: InvitationShown }) } },
    (request, reply) =>
      onceBeside(request, reply, async () => {
        const sent = await resend(people.by(request), callerOf(request).accountId, request.params.id);
        if ("waitMs" in sent) throw tooMany(SENT, sent.waitMs);
        if (!("refused" in sent)) return { status: 200, body: shown(sent) };
        if (sent.refused === "not_found") throw notFound("invitation of this id");
        throw new ProblemError("conflict", "the invitation was accepted or revoked before");
      }),
  );

  app.delete(
    "/v1/invitations/:id",
    { config: ADMIN, schema: { params: InvitationPath } },
    async (request, reply) => {
      const found = await owned(callerOf(request).accountId, request.params.id);
      if (!(await revokeInvitation(people.by(request), found)))
        throw new ProblemError("conflict", "the invitation was accepted or revoked before");
      return reply.code(204).send();
    },
  );
};

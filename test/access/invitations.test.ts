import { describe, expect, it } from "vitest";
import type { InvitationId } from "../../schemas/common.ts";
import { Email } from "../../schemas/email.ts";
import type { Role } from "../../schemas/role.ts";
import {
  acceptInvitation,
  invite,
  lookAtInvitation,
  removeMember,
  resend,
  revokeInvitation,
  verifyInvitation,
} from "../../src/access/invite.ts";
import type { AccessParts } from "../../src/access/parts.ts";
import { approveRequest } from "../../src/access/requests.ts";
import { invitationState } from "../../src/domain/access/invitation.ts";
import { type Doer, NOWHERE } from "../../src/ports/audit.ts";
import { accessEngines, openAccesses, somebody, type TwoAccesses } from "../support/access.ts";
import type { NewDatabase } from "../support/postgres-databases.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const JANE = Email.parse("jane@example.org");

const OWNER: Doer = { actor: { kind: "person", id: "usr_1", name: "owner@example.org" }, origin: NOWHERE };

/** As an owner asks for it. */
const opened = async (database: NewDatabase | null): Promise<TwoAccesses> => {
  const accesses = await openAccesses(database);
  const [one, two] = accesses.both;
  const [first, second] = accesses.stores;
  return {
    ...accesses,
    both: [
      { ...one, control: first.by(OWNER) },
      { ...two, control: second.by(OWNER) },
    ],
  };
};

const inviting = (parts: AccessParts, role: Role = "viewer", email = JANE) =>
  parts.control.transaction((within) => invite(within, parts, { accountId: parts.reviewers, email, role }));
const invited = async (parts: AccessParts, role: Role = "viewer", email = JANE) => {
  const outcome = await inviting(parts, role, email);
  if ("waitMs" in outcome) throw new Error(`too soon, by ${outcome.waitMs}`);
  return outcome;
};
const sentAgain = (parts: AccessParts, id: InvitationId) => resend(parts, parts.reviewers, id);
/** Of every e-mail there is, oldest first. */
const linksOf = async ({ stores: [store] }: TwoAccesses): Promise<string[]> =>
  (await store.mails.take(100, 0)).flatMap(({ text }) => /\/invitations\/(\S+)/.exec(text)?.[1] ?? []);
const newestLink = async (accesses: TwoAccesses): Promise<string> => {
  const link = (await linksOf(accesses)).at(-1);
  if (link === undefined) throw new Error("no invitation was sent");
  return link;
};
const verified = async (parts: AccessParts, link: string): Promise<string> => {
  const outcome = await verifyInvitation(parts, link);
  if (outcome?.next !== "set-password") throw new Error(`${outcome?.next}`);
  return outcome.token;
};
const all = async ({ control: { access }, reviewers }: AccessParts) =>
  (await access.invitations.list(reviewers, { limit: 100 })).items;
const notes = async ({ stores: [store], both: [{ reviewers }] }: TwoAccesses): Promise<string[]> =>
  (await store.audit.list({ accountId: reviewers }, { limit: 100 })).items
    .map(({ action }) => action)
    .filter((action) => /^(invitation|access_request)/.test(action))
    .toReversed();

const engines = await accessEngines();
describe.each(engines)("an invitation, on %s", (_, database) => {
  it("is one for all that invite an address at the same time, and sent once", async () => {
    const accesses = await opened(database);
    const [one, two] = accesses.both;
    const outcomes = await Promise.all([one, two, one, two].map((parts) => inviting(parts)));
    const done = outcomes.filter((outcome) => !("waitMs" in outcome));
    expect(done).toMatchObject([{ isNew: true, invitation: { email: JANE } }]);
    for (const outcome of outcomes) if ("waitMs" in outcome) expect(outcome).toEqual({ waitMs: MINUTE_MS });
    expect((await all(one)).length).toBe(1);
    expect((await linksOf(accesses)).length).toBe(1);
  });

  it("of an address that has an open one is that, with the role and a new link", async () => {
    const accesses = await opened(database);
    const [one, two] = accesses.both;
    const { invitation } = await invited(one, "viewer");
    const first = await newestLink(accesses);
    accesses.clock.advance(MINUTE_MS);
    const again = await invited(two, "editor");
    expect(again).toMatchObject({ isNew: false, invitation: { id: invitation.id, role: "editor" } });
    expect(again.invitation.expiresAt).toBe(invitation.expiresAt + MINUTE_MS);
    const second = await newestLink(accesses);
    expect(await lookAtInvitation(one, first, "invitation")).toBeNull();
    expect(await verifyInvitation(one, first)).toBeNull();
    const accepted = await acceptInvitation(one, await verified(two, second), "$argon2id$kept");
    if (accepted === null) throw new Error("the link works no more");
    const { members } = one.control.access;
    expect(await members.get(one.reviewers, accepted.person.id)).toMatchObject({ role: "editor" });
    expect(await notes(accesses)).toEqual(["invitation.created", "invitation.resent", "invitation.verified"]);
  });

  it("goes to an address once a minute and five times a day, whichever way it is sent", async () => {
    const accesses = await opened(database);
    const { clock } = accesses;
    const [one, two] = accesses.both;
    const { invitation } = await invited(one);
    const { id } = invitation;
    clock.advance(MINUTE_MS - 1);
    for (const outcome of [await sentAgain(two, id), await inviting(one), await sentAgain(one, id)])
      expect(outcome).toEqual({ waitMs: 1 });
    // Nor is it a way round to take it back.
    expect(await revokeInvitation(one, invitation)).toBe(true);
    expect(await inviting(one)).toEqual({ waitMs: 1 });
    clock.advance(1);
    const next = await invited(one);
    expect(next.isNew).toBe(true);
    for (let n = 0; n < 3; n++) {
      clock.advance(MINUTE_MS);
      expect(await sentAgain(two, next.invitation.id)).toMatchObject({ id: next.invitation.id });
    }
    clock.advance(MINUTE_MS);
    const waitMs = DAY_MS - 5 * MINUTE_MS;
    expect([await sentAgain(one, next.invitation.id), await inviting(two)]).toEqual([{ waitMs }, { waitMs }]);
    expect((await linksOf(accesses)).length).toBe(5);
    expect(await inviting(one, "viewer", Email.parse("john@example.org"))).toMatchObject({ isNew: true });
    clock.advance(waitMs);
    expect(await sentAgain(one, next.invitation.id)).toMatchObject({ id: next.invitation.id });
  });

  it("that is sent once more kills the older link, and what that has led to", async () => {
    const accesses = await opened(database);
    const [one, two] = accesses.both;
    const { id } = (await invited(one)).invitation;
    const first = await newestLink(accesses);
    const proof = await verified(one, first);
    expect(await lookAtInvitation(one, proof, "set-password")).toMatchObject({ id });
    accesses.clock.advance(MINUTE_MS);
    await sentAgain(two, id);
    const state = async () => {
      const found = await one.control.access.invitations.get(id);
      return found && invitationState(found, accesses.clock.now());
    };
    expect(await state()).toBe("approved");
    expect(await lookAtInvitation(one, proof, "set-password")).toBeNull();
    expect(await acceptInvitation(one, proof, "$argon2id$kept")).toBeNull();
    expect(await verifyInvitation(one, first)).toBeNull();
    const second = await verified(two, await newestLink(accesses));
    expect(await acceptInvitation(one, second, "$argon2id$kept")).toMatchObject({ isNew: true });
    expect(await sentAgain(one, id)).toEqual({ refused: "conflict" });
  });

  it("that has expired, or whose proof has, is sent once more and works again", async () => {
    const accesses = await opened(database);
    const { clock } = accesses;
    const [parts] = accesses.both;
    const { id } = (await invited(parts)).invitation;
    const stateNow = async () => (await all(parts)).map((one) => invitationState(one, clock.now()));
    const first = await newestLink(accesses);
    clock.advance(7 * DAY_MS - 1);
    expect(await lookAtInvitation(parts, first, "invitation")).toMatchObject({ id });
    clock.advance(1);
    expect(await stateNow()).toEqual(["expired"]);
    expect(await verifyInvitation(parts, first)).toBeNull();
    expect(await sentAgain(parts, id)).toMatchObject({ id, expiresAt: clock.now() + 7 * DAY_MS });
    expect(await stateNow()).toEqual(["approved"]);
    const proof = await verified(parts, await newestLink(accesses));
    expect(await stateNow()).toEqual(["verified"]);
    clock.advance(30 * MINUTE_MS);
    expect(await stateNow()).toEqual(["expired"]);
    expect(await acceptInvitation(parts, proof, "$argon2id$kept")).toBeNull();
    expect(await invited(parts, "owner")).toMatchObject({ isNew: false, invitation: { id } });
    const last = await verified(parts, await newestLink(accesses));
    expect(await acceptInvitation(parts, last, "$argon2id$kept")).toMatchObject({ isNew: true });
    expect(await stateNow()).toEqual(["active"]);
  });

  it("that was revoked has no link that works, however it was sent at the same time", async () => {
    const accesses = await opened(database);
    const [one, two] = accesses.both;
    for (let n = 0; n < 5; n++) {
      const { invitation } = await invited(one, "viewer", Email.parse(`person-${n}@example.org`));
      accesses.clock.advance(MINUTE_MS);
      const [sent, revoked] = await Promise.all([
        sentAgain(one, invitation.id),
        revokeInvitation(two, invitation),
      ]);
      expect(revoked).toBe(true);
      expect("refused" in sent || "expiresAt" in sent).toBe(true);
      for (const link of await linksOf(accesses)) {
        expect(await lookAtInvitation(one, link, "invitation")).toBeNull();
        expect(await verifyInvitation(one, link)).toBeNull();
      }
    }
  });

  it("of an address is the one that a request of it is approved with, and counts as sent once more", async () => {
    const accesses = await opened(database);
    const [one, two] = accesses.both;
    const { requests } = one.control.access;
    const { id } = (await invited(one)).invitation;
    const asked = await requests.add(JANE, "I watch forty masts of a mountain rescue.");
    const into = { accountId: one.reviewers, role: "owner", note: null } as const;
    expect(await approveRequest(two, asked.id, into)).toEqual({ waitMs: MINUTE_MS });
    expect(await requests.get(asked.id)).toEqual(asked);
    expect(await notes(accesses)).toEqual(["invitation.created"]);
    accesses.clock.advance(MINUTE_MS);
    const outcomes = await Promise.all([one, two, one].map((parts) => approveRequest(parts, asked.id, into)));
    expect(outcomes.filter((outcome) => outcome !== null)).toMatchObject([
      { request: { state: "approved" }, invitation: { id, role: "owner", accessRequestId: asked.id } },
    ]);
    expect((await all(one)).length).toBe(1);
    expect(await notes(accesses)).toEqual([
      "invitation.created",
      "access_request.approved",
      "invitation.resent",
    ]);
  });

  it("of a member's address ends with their membership", async () => {
    const accesses = await opened(database);
    const [parts] = accesses.both;
    const { control, reviewers } = parts;
    await somebody(accesses, "owner", "owner");
    await invited(parts, "owner");
    const link = await newestLink(accesses);
    const jane = await somebody(accesses, "jane");
    expect(await removeMember(control, reviewers, jane.id, [7])).toMatchObject({ ok: false });
    expect(await lookAtInvitation(parts, link, "invitation")).not.toBeNull();
    expect(await removeMember(control, reviewers, jane.id, null)).toMatchObject({ ok: true });
    expect(await lookAtInvitation(parts, link, "invitation")).toBeNull();
    expect(await verifyInvitation(parts, link)).toBeNull();
    expect(await control.access.members.get(reviewers, jane.id)).toBeNull();
    expect(await notes(accesses)).toEqual(["invitation.created", "invitation.revoked"]);
  });
});

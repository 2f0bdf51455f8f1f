import { describe, expect, it } from "vitest";
import type { AccountId, InvitationId, PersonId } from "../../../schemas/common.ts";
import { Email } from "../../../schemas/email.ts";
import { COMMAND_LINE_CLIENT } from "../../../schemas/oauth-client.ts";
import { tokenOf } from "../../../src/domain/access/secret-token.ts";
import type { Person } from "../../../src/ports/access.ts";
import { type Doer, NOWHERE } from "../../../src/ports/audit.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { MINE, OTHERS, succeeded } from "./examples.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JANE = Email.parse("jane@example.org");
const JOHN = Email.parse("john@example.org");
const VISITOR = { userAgent: "Firefox", address: "203.0.113.9" };
const token = (seed: number): string => tokenOf(new Uint8Array(32).fill(seed));

const personOf = async ({ access }: ControlStore, email = JANE): Promise<Person> => {
  const made = await access.people.create(email, "$argon2id$kept");
  if (made === null) throw new Error("the address is taken");
  return made;
};
const accountOf = async (store: ControlStore) => (await store.accounts.first()).id;
const both = <T>(
  [one, two]: readonly [ControlStore, ControlStore],
  act: (store: ControlStore) => Promise<T>,
) => Promise.all([act(one), act(two), act(one), act(two), act(one), act(two)]);
const wins = (results: readonly unknown[]): number =>
  results.filter((result) => result !== false && result !== null).length;

export const accessSuite = (newDatabase: NewDatabase): void => {
  describe("people", () => {
    it("have an address that nobody else has", async () => {
      const store = await (await newDatabase()).open();
      const { people } = store.access;
      const jane = await personOf(store);
      expect(await people.create(JANE, null)).toBeNull();
      const john = await personOf(store, JOHN);
      expect(await people.setEmail(john.id, JANE)).toBe(false);
      expect(await people.setEmail(john.id, Email.parse("johnny@example.org"))).toBe(true);
      expect(await people.byEmail(JOHN)).toBeNull();
      expect(await people.byEmail(JANE)).toEqual(jane);
      await store.transaction(async ({ access }) => {
        expect(await access.people.setEmail(john.id, JANE)).toBe(false);
        await access.people.setPassword(john.id, "other");
      });
      expect(await people.get(john.id)).toMatchObject({ email: "johnny@example.org", password: "other" });
    });

    it("give each code of their app once, and none before one that was taken, whoever asks", async () => {
      const stores = await (await newDatabase()).openTwo();
      const { people } = stores[0].access;
      const { id } = await personOf(stores[0]);
      expect(await people.secondFactor(id)).toBeNull();
      expect(await people.takeStep(id, 100)).toBe(false);
      await people.proposeSecondFactor(id, "JBSWY3DPEHPK3PXP");
      expect(await people.secondFactor(id)).toEqual({ secret: "JBSWY3DPEHPK3PXP", isConfirmed: false });
      expect((await people.get(id))?.secondFactorSince).toBeNull();
      expect(wins(await both(stores, ({ access }) => access.people.takeStep(id, 100, true)))).toBe(1);
      await people.proposeSecondFactor(id, "AAAAAAAAAAAAAAAA");
      expect(await people.secondFactor(id)).toEqual({ secret: "JBSWY3DPEHPK3PXP", isConfirmed: true });
      expect(await people.takeStep(id, 100)).toBe(false);
      expect(await people.takeStep(id, 99)).toBe(false);
      expect(wins(await both(stores, ({ access }) => access.people.takeStep(id, 101)))).toBe(1);
      await people.removeSecondFactor(id);
      expect(await people.secondFactor(id)).toBeNull();
    });

    it("use each recovery code once, and only their own", async () => {
      const stores = await (await newDatabase()).openTwo();
      const { people } = stores[0].access;
      const [jane, john] = [await personOf(stores[0]), await personOf(stores[0], JOHN)];
      await people.setRecoveryCodes(jane.id, ["AAAAA-AAAAA", "BBBBB-BBBBB"]);
      expect(await people.useRecoveryCode(john.id, "AAAAA-AAAAA")).toBe(false);
      const used = await both(stores, ({ access }) => access.people.useRecoveryCode(jane.id, "AAAAA-AAAAA"));
      expect(wins(used)).toBe(1);
      expect(await people.recoveryCodesLeft(jane.id)).toBe(1);
      await people.setRecoveryCodes(jane.id, ["CCCCC-CCCCC"]);
      expect(await people.useRecoveryCode(jane.id, "BBBBB-BBBBB")).toBe(false);
      expect(await people.recoveryCodesLeft(jane.id)).toBe(1);
    });
  });

  describe("identities at outside providers", () => {
    const theirs = { issuer: "https://a.example", subject: "1" };

    it("are one person's each, whoever comes first, and told apart by issuer and by subject", async () => {
      const clock = new ManualClock(1_000);
      const database = await newDatabase();
      const store = await database.open({ clock });
      const { identities } = store.access;
      const [jane, john] = [await personOf(store), await personOf(store, JOHN)];
      expect(await identities.personOf(theirs)).toBeNull();
      expect(await identities.add(jane.id, theirs)).toBe(true);
      expect(await identities.add(john.id, theirs)).toBe(false);
      expect(await identities.add(jane.id, theirs)).toBe(false);
      clock.advance(1_000);
      expect(await identities.add(john.id, { ...theirs, subject: "2" })).toBe(true);
      expect(await identities.add(jane.id, { ...theirs, issuer: "https://A.example" })).toBe(true);
      expect(await identities.personOf(theirs)).toEqual(jane);
      expect(await identities.personOf({ ...theirs, subject: "2" })).toEqual(john);
      expect(await identities.personOf({ ...theirs, issuer: "https://a.example/" })).toBeNull();
      const mine = await identities.of(jane.id);
      expect(mine).toMatchObject([
        { ...theirs, createdAt: 1_000 },
        { issuer: "https://A.example", createdAt: 2_000 },
      ]);
      expect(await identities.of(jane.id)).toEqual(mine);
      expect(new Set(mine.map(({ id }) => id)).size).toBe(2);
      expect(await identities.remove(john.id, theirs)).toBe(false);
      expect(await identities.remove(jane.id, theirs)).toBe(true);
      expect(await identities.personOf(theirs)).toBeNull();

      const stores = await (await newDatabase()).openTwo();
      const people = [await personOf(stores[0]), await personOf(stores[0], JOHN)] as const;
      const added = await Promise.all(
        [0, 1, 0, 1].map((n) =>
          stores[n === 0 ? 0 : 1].access.identities.add(people[n === 0 ? 0 : 1].id, theirs),
        ),
      );
      expect(wins(added)).toBe(1);
    });
  });

  describe("what browsers keep", () => {
    it("is read by whoever has the secret key, for its purpose, and cannot be changed", async () => {
      const secretKey = new Uint8Array(32).fill(7);
      const one = await (await newDatabase()).open({ secretKey });
      const two = await (await newDatabase()).open({ secretKey });
      const other = await (await newDatabase()).open({ secretKey: new Uint8Array(32).fill(8) });
      const sealed = one.access.seals.seal("a", "what it keeps: ü");
      expect(sealed).toMatch(/^[\w-]+$/);
      expect(Buffer.from(sealed, "base64url").includes("what")).toBe(false);
      expect(two.access.seals.open("a", sealed)).toBe("what it keeps: ü");
      expect(one.access.seals.seal("a", "what it keeps: ü")).not.toBe(sealed);
      for (const wrong of [sealed.slice(0, -4), `${sealed}AAAA`, "", "x", sealed.replace(/^./, "B")])
        expect(one.access.seals.open("a", wrong)).toBeNull();
      expect(one.access.seals.open("b", sealed)).toBeNull();
      expect(other.access.seals.open("a", sealed)).toBeNull();
    });
  });

  describe("members", () => {
    it("leave an account an owner, also when two go at the same time", async () => {
      const stores = await (await newDatabase()).openTwo();
      const [one, two] = stores;
      const account = await accountOf(one);
      const [jane, john] = [await personOf(one), await personOf(one, JOHN)];
      const { members } = one.access;
      expect(await members.add(account, jane.id, "owner")).toBe(true);
      expect(await members.add(account, jane.id, "viewer")).toBe(false);
      expect(await members.change(account, jane.id, { role: "editor" })).toMatchObject({
        ok: false,
        reason: "conflict",
      });
      await members.add(account, john.id, "owner");
      const gone = await Promise.all([
        one.access.members.change(account, jane.id, { isSuspended: true }),
        two.access.members.remove(account, john.id),
      ]);
      expect(gone.filter(({ ok }) => ok).length).toBe(1);
      expect(gone.find(({ ok }) => !ok)).toMatchObject({ ok: false, reason: "conflict" });
      expect((await members.owners(account)).length).toBe(1);
      expect(await members.change(OTHERS, jane.id, { role: "owner" })).toEqual({
        ok: false,
        reason: "not_found",
      });
    });

    it("lose what they have open in an account when they are suspended, and their keys when they are removed", async () => {
      const store = await (await newDatabase()).open();
      const account = await accountOf(store);
      const { members, sessions, oauth } = store.access;
      const [jane, john] = [await personOf(store), await personOf(store, JOHN)];
      await members.add(account, john.id, "owner");
      for (const id of [account, OTHERS]) await members.add(id, jane.id, "editor");
      const open = async (seed: number, personId: PersonId, accountId: AccountId) => {
        const hash = new Uint8Array(32).fill(seed);
        const made = { personId, accountId, hasSecondFactor: false, ...VISITOR };
        const grantId = await oauth.grants.create({
          clientId: COMMAND_LINE_CLIENT,
          personId,
          accountId,
          scopes: ["read"],
          expiresAt: Date.now() + HOUR_MS,
        });
        const record = { kind: "RefreshToken", content: "{}", clientId: null, userCode: null } as const;
        await oauth.records.put(`t${seed}`, { ...record, grantId, expiresAt: Date.now() + HOUR_MS });
        const { id: sessionId } = await sessions.create(token(seed), made);
        const key = { name: "a key", prefix: "sos_", hash, scopes: ["read"], personId } as const;
        const { id: keyId } = await store.apiKeys.create(accountId, key);
        const left = async () => [
          (await sessions.get(sessionId)) !== null,
          (await oauth.grants.open(grantId)) !== null,
          (await oauth.records.find("RefreshToken", `t${seed}`)) !== null,
          (await store.apiKeys.find(keyId)) !== null,
        ];
        return { ids: { sessionId, grantId, keyId }, left };
      };
      const here = await open(1, jane.id, account);
      const others = [await open(2, jane.id, OTHERS), await open(3, john.id, account)];
      const ALL = [true, true, true, true];
      expect(await here.left()).toEqual(ALL);

      const owner: Doer = { actor: { kind: "person", id: john.id, name: JOHN }, origin: NOWHERE };
      const byOwner = store.by(owner).access.members;
      succeeded(await byOwner.change(account, jane.id, { isSuspended: true }));
      expect(await here.left()).toEqual([false, false, false, false]);
      succeeded(await byOwner.change(account, jane.id, { isSuspended: false }));
      expect(await here.left()).toEqual([false, false, false, true]);
      const again = await open(4, jane.id, account);
      succeeded(await byOwner.remove(account, jane.id));
      expect(await members.add(account, jane.id, "editor")).toBe(true);
      expect(await again.left()).toEqual([false, false, false, false]);
      for (const { left } of others) expect(await left()).toEqual(ALL);

      const { items } = await store.audit.list({ accountId: account }, { limit: 50 });
      const told = items.toReversed().map(({ action, actor, target }) => [action, actor.id, target?.id]);
      const by = (action: string, target: string) => [action, john.id, target];
      expect(told).toEqual([
        by("session.ended", here.ids.sessionId),
        by("oauth_grant.revoked", here.ids.grantId),
        by("member.updated", jane.id),
        by("member.updated", jane.id),
        by("session.ended", again.ids.sessionId),
        by("oauth_grant.revoked", again.ids.grantId),
        ...[here.ids.keyId, again.ids.keyId].map((id) => by("api_key.revoked", id)),
        by("member.removed", jane.id),
      ]);
      const own = await store.audit.list({ personId: jane.id }, { limit: 50 });
      expect(own.items.filter(({ action }) => action === "session.ended")).toHaveLength(2);
    });

    it("are what they are told to be, and listed in pages", async () => {
      const clock = new ManualClock(1_000);
      const store = await (await newDatabase()).open({ clock });
      const account = await accountOf(store);
      const { members } = store.access;
      const [jane, john] = [await personOf(store), await personOf(store, JOHN)];
      await members.add(account, jane.id, "owner");
      await members.add(account, john.id, "viewer");
      clock.advance(1_000);
      const changed = await members.change(account, john.id, { role: "editor", isSuspended: true });
      expect(changed).toMatchObject({
        ok: true,
        value: {
          before: { role: "viewer", suspendedAt: null, revision: 1 },
          after: { email: JOHN, role: "editor", suspendedAt: 2_000, revision: 2 },
        },
      });
      expect(await members.of(john.id)).toEqual([{ accountId: account, role: "editor", suspendedAt: 2_000 }]);
      const first = await members.list(account, { limit: 1 });
      const second = await members.list(account, { limit: 1, cursor: first.next ?? "" });
      expect([...first.items, ...second.items].map(({ email }) => email).toSorted()).toEqual([JANE, JOHN]);
      expect(second.next).toBeNull();
      expect(await members.change(account, john.id, { isSuspended: false }, [1])).toMatchObject({
        reason: "precondition_failed",
        revision: 2,
      });
      expect(await members.change(account, john.id, { isSuspended: false }, [1, 2])).toMatchObject({
        value: { after: { suspendedAt: null } },
      });
      expect(await members.remove(account, john.id)).toMatchObject({ ok: true, value: { after: null } });
      expect(await members.get(account, john.id)).toBeNull();
    });
  });

  describe("access requests", () => {
    it("wait once for an address, and are decided once", async () => {
      const stores = await (await newDatabase()).openTwo();
      const { requests } = stores[0].access;
      const first = await requests.add(JANE, "I watch masts");
      expect(await requests.add(JANE, "Ignore what stands here")).toEqual(first);
      await requests.add(JOHN, "I, too");
      const decided = await Promise.all([
        ...["a", "b"].map((note) => stores[0].access.requests.decide(first.id, { state: "approved", note })),
        ...["c", "d"].map((note) => stores[1].access.requests.decide(first.id, { state: "rejected", note })),
      ]);
      expect(wins(decided)).toBe(1);
      const pending = await requests.list({ limit: 10, state: "pending" });
      expect(pending.items.map(({ email }) => email)).toEqual([JOHN]);
      expect((await requests.list({ limit: 10 })).items.length).toBe(2);
      expect((await requests.add(JANE, "again")).id).not.toBe(first.id);
    });

    it("of one address are one, whoever asks at the same time, in a transaction or not", async () => {
      const stores = await (await newDatabase()).openTwo();
      const asked = await both(stores, (store) =>
        store.transaction(async ({ access }) => access.requests.add(JANE, "I watch masts")),
      );
      expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
      expect((await stores[0].access.requests.list({ limit: 10 })).items).toEqual([asked[0]]);
    });

    it("that wait too long are reminded of once", async () => {
      const clock = new ManualClock(0);
      const store = await (await newDatabase()).open({ clock });
      const { requests } = store.access;
      const { id } = await requests.add(JANE, "I watch masts");
      expect(await requests.remind(0)).toEqual([]);
      expect((await requests.remind(1)).map((request) => request.id)).toEqual([id]);
      expect(await requests.remind(1)).toEqual([]);
    });
  });

  describe("invitations", () => {
    it("are invited once their e-mail was sent, and end by acceptance or revocation, one of the two", async () => {
      const clock = new ManualClock(1_000);
      const store = await (await newDatabase()).open({ clock });
      const { invitations } = store.access;
      const asked = { accountId: MINE, email: JANE, role: "viewer", accessRequestId: null } as const;
      const { id } = await invitations.create(asked);
      const mail = { to: JANE, subject: "s", text: "t", html: "h", expiresAt: DAY_MS };
      await invitations.mailed(id, await store.mails.add(mail), DAY_MS);
      expect(await invitations.get(id)).toMatchObject({ ...asked, sentAt: null, expiresAt: DAY_MS });
      const [due] = await store.mails.take(1, HOUR_MS);
      if (due === undefined) throw new Error("it was due");
      await store.mails.sent(due);
      expect(await invitations.get(id)).toMatchObject({ sentAt: 1_000 });
      expect(await invitations.verified(id)).toBe(true);
      expect(await invitations.accepted(id)).toBe(true);
      expect(await invitations.revoke(id)).toBe(false);
      expect(await invitations.verified(id)).toBe(false);
      const other = await invitations.create({ ...asked, email: JOHN });
      expect(await invitations.revoke(other.id)).toBe(true);
      expect(await invitations.accepted(other.id)).toBe(false);
      const page = await invitations.list(MINE, { limit: 1 });
      const next = await invitations.list(MINE, { limit: 1, cursor: page.next ?? "" });
      expect([...page.items, ...next.items].map((one) => one.id).toSorted()).toEqual(
        [id, other.id].toSorted(),
      );
      expect((await invitations.list(OTHERS, { limit: 9 })).items).toEqual([]);
    });
  });

  describe("invitations of one address", () => {
    const asked = { accountId: MINE, email: JANE, role: "viewer", accessRequestId: null } as const;

    it("are one at a time in an account, whoever invites at the same time, and a new one once it is over", async () => {
      const stores = await (await newDatabase()).openTwo();
      const { invitations, requests } = stores[0].access;
      const { id: accessRequestId } = await requests.add(JANE, "I watch masts");
      const made = await both(stores, (store) =>
        store.transaction(async ({ access }) => access.invitations.create(asked)),
      );
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(made.filter(({ isNew }) => isNew).length).toBe(1);
      const { id } = await invitations.create({ ...asked, accessRequestId });
      const { isNew, ...again } = await invitations.create({ ...asked, role: "owner" });
      expect([isNew, again]).toEqual([
        false,
        expect.objectContaining({ id, role: "owner", accessRequestId }),
      ]);
      expect((await invitations.list(MINE, { limit: 9 })).items).toEqual([again]);
      expect(await invitations.hold(id)).toEqual(again);
      const elsewhere = await invitations.create({ ...asked, accountId: OTHERS });
      const john = await invitations.create({ ...asked, email: JOHN });
      expect((await invitations.revokeOf(MINE, JANE)).map((one) => one.id)).toEqual([id]);
      expect(await invitations.revokeOf(MINE, JANE)).toEqual([]);
      expect(await invitations.hold(id)).toBeNull();
      for (const other of [elsewhere, john])
        expect(await invitations.hold(other.id)).toMatchObject({ id: other.id });
      const next = await invitations.create(asked);
      expect([next.isNew, next.role]).toEqual([true, "viewer"]);
      await invitations.accepted(next.id);
      expect(await invitations.hold(next.id)).toBeNull();
      expect(await invitations.create(asked)).toMatchObject({ isNew: true, accessRequestId: null });
    });

    it("are held by one transaction, and whoever would change them waits", async () => {
      const stores = await (await newDatabase()).openTwo();
      const { id } = await stores[0].access.invitations.create(asked);
      const order: string[] = [];
      let revoking: Promise<boolean> = Promise.resolve(false);
      await stores[0].transaction(async ({ access, mails }) => {
        expect(await access.invitations.hold(id)).not.toBeNull();
        revoking = stores[1].access.invitations.revoke(id).finally(() => order.push("revoked"));
        const mail = { to: JANE, subject: "s", text: "t", html: "h", expiresAt: Date.now() + DAY_MS };
        await access.invitations.mailed(id, await mails.add(mail), mail.expiresAt);
        order.push("sent");
      });
      expect(await revoking).toBe(true);
      expect(order).toEqual(["sent", "revoked"]);
    });

    it("are forgotten half a year after they are over", async () => {
      const clock = new ManualClock(0);
      const store = await (await newDatabase()).open({ clock });
      const { invitations } = store.access;
      const mailed = async (id: InvitationId, expiresAt: number) => {
        const mail = { to: JANE, subject: "s", text: "t", html: "h", expiresAt };
        await invitations.mailed(id, await store.mails.add(mail), expiresAt);
      };
      const invited = async (name: string) => {
        const { id } = await invitations.create({ ...asked, email: Email.parse(`${name}@example.org`) });
        await mailed(id, 7 * DAY_MS);
        return id;
      };
      const [accepted, , late] = [await invited("accepted"), await invited("expired"), await invited("late")];
      const resent = await invited("resent");
      await invitations.accepted(accepted);
      clock.advance(30 * DAY_MS);
      await invitations.revoke(late);
      await mailed(resent, 37 * DAY_MS);
      const left = async () => (await invitations.list(MINE, { limit: 9 })).items.map(({ id }) => id);
      expect(await store.access.prune(187 * DAY_MS - 1, 100)).toBe(0);
      expect((await left()).length).toBe(4);
      expect(await store.access.prune(187 * DAY_MS, 1)).toBe(1);
      expect(await store.access.prune(187 * DAY_MS, 100)).toBe(1);
      expect((await left()).toSorted()).toEqual([late, resent].toSorted());
      expect(await store.access.prune(210 * DAY_MS, 100)).toBe(1);
      expect(await left()).toEqual([resent]);
      expect(await store.access.prune(217 * DAY_MS, 100)).toBe(1);
    });
  });

  describe("links", () => {
    const link = {
      purpose: "reset-password",
      subject: "usr_1",
      content: "kept-for-the-link",
      expiresAt: HOUR_MS,
    } as const;

    it("work once, for their purpose, in their time, whoever comes first", async () => {
      const clock = new ManualClock(0);
      const store = await (await newDatabase()).open({ clock });
      const { links } = store.access;
      await links.add(token(1), link);
      expect(await links.look(token(1), "reset-password")).toEqual(link);
      expect(await links.use(token(1), "invitation")).toBeNull();
      expect(await links.use(token(2), "reset-password")).toBeNull();
      expect(await links.use(token(1), "reset-password")).toEqual(link);
      expect(await links.use(token(1), "reset-password")).toBeNull();
      expect(await links.look(token(1), "reset-password")).toBeNull();
      await links.add(token(3), link);
      clock.advance(HOUR_MS);
      expect(await links.use(token(3), "reset-password")).toBeNull();

      const stores = await (await newDatabase()).openTwo();
      await stores[0].access.links.add(token(4), { ...link, expiresAt: Date.now() + HOUR_MS });
      expect(wins(await both(stores, ({ access }) => access.links.use(token(4), "reset-password")))).toBe(1);
    });

    it("that nobody wrote down come back for the first time once, whoever comes first", async () => {
      const { content: _, ...nothing } = link;
      const stores = await (await newDatabase()).openTwo();
      const expiresAt = Date.now() + HOUR_MS;
      const used = await both(stores, ({ access }) =>
        access.links.firstUse(token(5), { ...nothing, purpose: "outside-sign-in", expiresAt }),
      );
      expect(wins(used)).toBe(1);
      expect(await stores[0].access.links.firstUse(token(6), { ...nothing, expiresAt })).toBe(true);
      expect(await stores[0].access.links.look(token(6), "reset-password")).toBeNull();
      expect(await stores[0].access.links.use(token(6), "reset-password")).toBeNull();
    });

    it("work no more once a newer one of their kind was made, or they were dropped", async () => {
      const store = await (await newDatabase()).open({ clock: new ManualClock(0) });
      const { links } = store.access;
      await links.add(token(1), link);
      await links.add(token(2), { ...link, subject: "usr_2" });
      await links.add(token(3), link);
      expect(await links.look(token(1), "reset-password")).toBeNull();
      expect(await links.look(token(2), "reset-password")).not.toBeNull();
      await links.add(token(4), link, { keepOthers: true });
      expect(await links.look(token(3), "reset-password")).not.toBeNull();
      expect(await links.open("usr_1", "reset-password")).toEqual([link, link]);
      expect(await links.open("usr_1", "confirm-email")).toEqual([]);
      await links.drop("usr_1", "reset-password");
      expect(await links.open("usr_1", "reset-password")).toEqual([]);
    });

    it("that were made together are known to be used, and no others of their subject", async () => {
      const store = await (await newDatabase()).open({ clock: new ManualClock(0) });
      const { links } = store.access;
      await links.add(token(1), link);
      expect(await links.wasUsed(link)).toBe(false);
      await links.use(token(1), "reset-password");
      expect(await links.wasUsed(link)).toBe(true);
      expect(await links.wasUsed({ ...link, purpose: "confirm-email" })).toBe(false);
      expect(await links.wasUsed({ ...link, subject: "usr_2" })).toBe(false);
      expect(await links.wasUsed({ ...link, expiresAt: HOUR_MS + 1 })).toBe(false);
    });
  });

  describe("sessions", () => {
    it("end when they are idle for a day, old for two weeks, or ended", async () => {
      const clock = new ManualClock(0);
      const store = await (await newDatabase()).open({ clock });
      const { sessions, members } = store.access;
      const account = await accountOf(store);
      const { id: personId } = await personOf(store);
      await members.add(account, personId, "owner");
      const made = { personId, accountId: account, hasSecondFactor: false, ...VISITOR };
      const session = await sessions.create(token(1), made);
      expect(await sessions.find(token(1))).toEqual({
        ...session,
        email: JANE,
        role: "owner",
        mustSetUpSecondFactor: false,
        isStale: false,
      });
      clock.advance(DAY_MS - 1);
      await sessions.seen(new Map([[session.id, clock.now()]]));
      clock.advance(DAY_MS - 1);
      expect(await sessions.find(token(1))).not.toBeNull();
      clock.advance(1);
      expect(await sessions.find(token(1))).toBeNull();

      const second = await sessions.create(token(2), made);
      for (let day = 0; day < 14; day++) {
        expect(await sessions.find(token(2))).not.toBeNull();
        clock.advance(DAY_MS - 1);
        await sessions.seen(new Map([[second.id, clock.now()]]));
      }
      clock.advance(14);
      expect(await sessions.find(token(2))).toBeNull();

      const [third, fourth] = [await sessions.create(token(3), made), await sessions.create(token(4), made)];
      const other = await personOf(store, JOHN);
      expect(await sessions.end(other.id, third.id)).toBe(false);
      expect(await sessions.end(personId, third.id)).toBe(true);
      expect((await sessions.list(personId)).map(({ id }) => id)).toEqual([fourth.id]);
      await sessions.endOthers(personId, fourth.id);
      expect(await sessions.find(token(4))).not.toBeNull();
      await sessions.endOthers(personId, null);
      expect(await sessions.find(token(4))).toBeNull();
    });

    it("open what the person may do now, and get another token when that changes, one of all that ask for it", async () => {
      const clock = new ManualClock(0);
      const store = await (await newDatabase()).open({ clock });
      const { sessions, members } = store.access;
      const account = await accountOf(store);
      const [jane, john] = [await personOf(store), await personOf(store, JOHN)];
      await members.add(account, john.id, "owner");
      await members.add(account, jane.id, "owner");
      const made = { personId: jane.id, accountId: account, hasSecondFactor: false, ...VISITOR };
      const { id } = await sessions.create(token(1), made);
      await members.change(account, jane.id, { role: "viewer" });
      expect(await sessions.find(token(1))).toMatchObject({ role: "viewer", isStale: true });
      expect(wins(await Promise.all([2, 3].map((seed) => sessions.rotate(token(1), token(seed)))))).toBe(1);
      const next = (await sessions.find(token(2))) === null ? token(3) : token(2);
      expect(await sessions.find(next)).toMatchObject({ id, isStale: false });
      expect(await sessions.find(token(1))).toMatchObject({ id });
      clock.advance(10_000);
      expect(await sessions.find(token(1))).toBeNull();
      await sessions.proven(id, true);
      expect(await sessions.get(id)).toMatchObject({ hasSecondFactor: true, provenAt: 10_000 });
      await members.add(OTHERS, jane.id, "editor");
      await sessions.enter(id, OTHERS);
      expect(await sessions.find(next)).toMatchObject({ accountId: OTHERS, role: "editor" });
    });
  });

  describe("attempts", () => {
    const three = { max: 3, windowMs: HOUR_MS };

    it("count until their window ends, by all together, and not for ever when a clock is set back", async () => {
      const clock = new ManualClock(10 * DAY_MS);
      const { access } = await (await newDatabase()).open({ clock });
      const count = (name: string) => access.attempts.count([{ name, limit: three }]);
      for (let n = 0; n < 3; n++) expect(await count("a")).toBeNull();
      clock.advance(HOUR_MS / 2);
      expect(await count("a")).toBe(HOUR_MS / 2);
      expect(await count("b")).toBeNull();
      await access.attempts.uncount([{ name: "b", limit: three }]);
      for (let n = 0; n < 3; n++) expect(await count("b")).toBeNull();
      clock.advance(HOUR_MS / 2);
      expect(await count("a")).toBeNull();
      for (let n = 0; n < 3; n++) await count("a");
      await access.attempts.forget([{ name: "a", limit: three }]);
      for (let n = 0; n < 3; n++) expect(await count("a")).toBeNull();
      expect(await count("a")).not.toBeNull();
      clock.advance(-5 * DAY_MS);
      expect(await count("a")).toBeNull();
      // Two that count at once may each have asked the time in the other order.
      for (let n = 0; n < 3; n++) expect(await count("d")).toBeNull();
      clock.advance(-1);
      expect(await count("d")).toBe(HOUR_MS + 1);

      const stores = await (await newDatabase()).openTwo();
      const both6 = await both(stores, (store) => store.access.attempts.count([{ name: "c", limit: three }]));
      expect(both6.filter((waitMs) => waitMs === null).length).toBe(3);
    });

    it("of a challenge are few, and in its time", async () => {
      const clock = new ManualClock(0);
      const store = await (await newDatabase()).open({ clock });
      const { challenges } = store.access;
      const { id } = await personOf(store);
      await challenges.create(token(1), id);
      for (let n = 0; n < 5; n++) expect(await challenges.try(token(1))).toBe(id);
      expect(await challenges.try(token(1))).toBeNull();
      await challenges.create(token(2), id);
      expect(wins(await Promise.all([challenges.end(token(2)), challenges.end(token(2))]))).toBe(1);
      expect(await challenges.try(token(2))).toBeNull();
      await challenges.create(token(3), id);
      clock.advance(5 * 60_000);
      expect(await challenges.try(token(3))).toBeNull();
      const john = await personOf(store, JOHN);
      await challenges.create(token(4), id);
      await challenges.create(token(5), john.id);
      await challenges.drop(id);
      expect(await challenges.end(token(4))).toBe(false);
      expect(await challenges.try(token(5))).toBe(john.id);
    });
  });

  it("nothing that lets anybody in can be read in the database, and what is over is forgotten", async () => {
    const clock = new ManualClock(0);
    const database = await newDatabase();
    const store = await database.open({ clock });
    const { access } = store;
    const { id: personId } = await personOf(store);
    const link = {
      purpose: "confirm-email",
      subject: personId,
      content: "next@secret.example",
      expiresAt: HOUR_MS,
    } as const;
    await access.links.add(token(1), link);
    await access.sessions.create(token(2), { personId, accountId: null, hasSecondFactor: false, ...VISITOR });
    await access.challenges.create(token(3), personId);
    await access.people.proposeSecondFactor(personId, "JBSWY3DPEHPK3PXP");
    await access.people.setRecoveryCodes(personId, ["AAAAA-AAAAA"]);
    await access.attempts.count([
      { name: "sign-in typed-by@nobody.example", limit: { max: 1, windowMs: HOUR_MS } },
    ]);
    const bytes = await database.bytes();
    const secrets = [
      token(1),
      token(2),
      token(3),
      "JBSWY3DPEHPK3PXP",
      "AAAAA-AAAAA",
      "secret.example",
      "nobody.example",
    ];
    expect(secrets.filter((secret) => bytes.includes(secret))).toEqual([]);
    expect(await access.prune(0, 100)).toBe(0);
    expect(await access.prune(DAY_MS, 100)).toBe(4);
  });
};

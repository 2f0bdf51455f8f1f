import { Secret, TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { Email } from "../../schemas/email.ts";
import { invite, verifyInvitation } from "../../src/access/invite.ts";
import {
  acceptByIdentity,
  linkIdentity,
  removeIdentity,
  signInByIdentity,
} from "../../src/access/outside.ts";
import { beginOutside, type Intent, returnFromOutside } from "../../src/access/outside-attempt.ts";
import { proveByCode, proveByIdentity } from "../../src/access/outside-proof.ts";
import type { AccessParts } from "../../src/access/parts.ts";
import { resetPassword, sendReset } from "../../src/access/passwords.ts";
import {
  confirmSecondFactor,
  passSecondFactor,
  proposeSecondFactor,
} from "../../src/access/second-factor.ts";
import { signIn } from "../../src/access/sign-in.ts";
import type { Person } from "../../src/ports/access.ts";
import {
  accessEngines,
  openAccesses,
  PASSWORD,
  somebody,
  type TwoAccesses,
  VISITOR,
} from "../support/access.ts";
import type { NewDatabase } from "../support/postgres-databases.ts";
import { ISSUER, Vouching } from "../support/vouching.ts";

const MINUTE_MS = 60_000;
const JANE_THERE = { issuer: ISSUER, subject: "jane-there" };

/** A browser that was sent to the provider. */
const sent = async (parts: AccessParts, intent: Intent = { kind: "sign-in" }) => {
  const begun = await beginOutside(parts, { provider: "elsewhere", next: "/", intent });
  if (begun === null) throw new Error("the provider is unavailable");
  return { provider: "elsewhere", query: new URL(begun.address).search, sealed: begun.sealed };
};
const codeAt = (secret: string, nowMs: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs });

const withSecondFactor = async ({ both: [parts], clock }: TwoAccesses, person: Person): Promise<string> => {
  const proposal = await proposeSecondFactor(parts, person);
  if (proposal === null) throw new Error("there is one");
  await confirmSecondFactor(parts, person, codeAt(proposal.secret, clock.now()));
  clock.advance(30_000);
  return proposal.secret;
};
const sessionOf = async ({ control: { access } }: AccessParts, token: string) => {
  const session = await access.sessions.find(token);
  if (session === null) throw new Error("no session");
  return session;
};
const signedIn = async (parts: AccessParts, identity = JANE_THERE) => {
  const outcome = await signInByIdentity(parts, identity, VISITOR);
  if (outcome.state !== "signed-in") throw new Error(outcome.state);
  return sessionOf(parts, outcome.token);
};
const subjects = async ({ stores: [store] }: TwoAccesses): Promise<string[]> =>
  (await store.mails.take(100, 0)).map(({ to, subject }) => `${to}: ${subject}`);
const linkIn = async ({ stores: [store] }: TwoAccesses, path: RegExp): Promise<string> => {
  const [found] = (await store.mails.take(100, 0)).flatMap(({ text }) => path.exec(text)?.[1] ?? []);
  if (found === undefined) throw new Error(`no mail with ${path}`);
  return found;
};
/** Invites an address, and follows the link: what stands behind it. */
const invited = async (accesses: TwoAccesses, address: string) => {
  const [parts] = accesses.both;
  const email = Email.parse(address);
  await parts.control.transaction((within) =>
    invite(within, parts, { accountId: parts.reviewers, email, role: "editor" }),
  );
  const verified = await verifyInvitation(parts, await linkIn(accesses, /\/invitations\/(\S+)/));
  if (verified?.next !== "set-password") throw new Error(`${verified?.next}`);
  return { email, token: verified.token };
};
const open = async (database: NewDatabase | null) => {
  const provider = new Vouching();
  return { provider, accesses: await openAccesses(database, provider) };
};

const engines = await accessEngines();
describe.each(engines)("a way to an outside provider and back, on %s", (_, database) => {
  it("counts once, in whichever process it ends, and at the same time in two", async () => {
    const { accesses, provider } = await open(database);
    const [one, two] = accesses.both;
    provider.vouchFor("jane-there");
    const back = await sent(one);
    const returned = await Promise.all(
      [one, two, one, two].map((parts) => returnFromOutside(parts, back, VISITOR.network)),
    );
    expect(returned.map(({ state }) => state).toSorted()).toEqual(["over", "over", "over", "vouched"]);
    expect(await returnFromOutside(two, back, VISITOR.network)).toEqual({ state: "over" });
    // Not even for a clock that was set back.
    accesses.clock.advance(-1_000);
    expect(await returnFromOutside(two, back, VISITOR.network)).toEqual({ state: "over" });
    expect(provider.asked).toHaveLength(2);
  });

  it("ends in the browser that it began in, from the provider that it led to, within ten minutes", async () => {
    const { accesses, provider } = await open(database);
    const [parts] = accesses.both;
    provider.vouchFor("jane-there");
    const [mine, theirs] = [await sent(parts), await sent(parts)];
    const [, state] = mine.query.split("=");
    for (const wrong of [
      { ...mine, sealed: null },
      { ...mine, sealed: theirs.sealed },
      { ...mine, sealed: mine.sealed.slice(1) },
      { ...mine, provider: "other" },
      { ...mine, query: "" },
      { ...mine, query: `${mine.query}&state=${state}` },
      { ...mine, query: `${mine.query}x` },
    ])
      expect(await returnFromOutside(parts, wrong, VISITOR.network)).toEqual({ state: "over" });
    accesses.clock.advance(-1);
    expect(await returnFromOutside(parts, mine, VISITOR.network)).toEqual({ state: "over" });
    accesses.clock.advance(10 * MINUTE_MS + 1);
    expect(await returnFromOutside(parts, mine, VISITOR.network)).toEqual({ state: "over" });
    accesses.clock.advance(-1);
    expect(await returnFromOutside(parts, mine, VISITOR.network)).toMatchObject({
      state: "vouched",
      identity: JANE_THERE,
    });
  });

  it("that fails counts as a failure from where it came, and one that is given up or good does not", async () => {
    const { accesses, provider } = await open(database);
    const [parts] = accesses.both;
    const way = async () => (await returnFromOutside(parts, await sent(parts), VISITOR.network)).state;
    for (const state of ["declined", "unavailable"] as const) {
      provider.answered = { state };
      for (let n = 0; n < 51; n++) expect(await way()).toBe(state);
    }
    provider.answered = { state: "refused" };
    for (let n = 0; n < 50; n++) expect(await way()).toBe("refused");
    expect(await way()).toBe("locked");
    provider.vouchFor("jane-there");
    expect(await way()).toBe("locked");
    accesses.clock.advance(15 * MINUTE_MS);
    expect(await way()).toBe("vouched");
  });
});

describe.each(engines)("an identity elsewhere, on %s", (_, database) => {
  it("signs in who has linked it, and nobody before, with a session like any other", async () => {
    const { accesses } = await open(database);
    const [one, two] = accesses.both;
    const jane = await somebody(accesses, "jane", "editor");
    const by = (subject: string) => signInByIdentity(two, { issuer: ISSUER, subject }, VISITOR);
    // What a provider calls somebody is not their address here.
    for (const subject of ["jane-there", jane.email, jane.id])
      expect(await by(subject)).toEqual({ state: "unknown" });
    expect(await linkIdentity(one, jane.id, JANE_THERE)).toBe("linked");
    expect(await linkIdentity(two, jane.id, JANE_THERE)).toBe("known");
    expect(await subjects(accesses)).toEqual(["jane@example.org: You can sign in with Elsewhere now"]);
    expect(await signedIn(two)).toMatchObject({
      personId: jane.id,
      accountId: one.reviewers,
      role: "editor",
      hasSecondFactor: false,
    });
    expect(await by("jane-There")).toEqual({ state: "unknown" });
  });

  it("does not stand for a second factor", async () => {
    const { accesses } = await open(database);
    const [one, two] = accesses.both;
    const jane = await somebody(accesses, "jane");
    await linkIdentity(one, jane.id, JANE_THERE);
    const secret = await withSecondFactor(accesses, jane);
    const outcome = await signInByIdentity(one, JANE_THERE, VISITOR);
    expect(outcome.state).toBe("second-factor");
    const token = "token" in outcome ? outcome.token : "";
    expect(await one.control.access.sessions.find(token)).toBeNull();
    expect((await passSecondFactor(two, token, "000000", VISITOR)).state).toBe("refused");
    const passed = await passSecondFactor(two, token, codeAt(secret, accesses.clock.now()), VISITOR);
    expect(passed.state).toBe("signed-in");
  });

  it("lets nobody in who is locked out, and a suspended person into nothing", async () => {
    const { accesses } = await open(database);
    const [parts] = accesses.both;
    const { control, reviewers } = parts;
    await somebody(accesses, "olga", "owner");
    const jane = await somebody(accesses, "jane");
    await linkIdentity(parts, jane.id, JANE_THERE);
    for (let n = 0; n < 10; n++)
      await signIn(
        parts,
        { email: jane.email, password: "wrong" },
        { ...VISITOR, network: `198.51.100.${n}` },
      );
    expect(await signInByIdentity(parts, JANE_THERE, VISITOR)).toEqual({ state: "refused" });
    accesses.clock.advance(15 * MINUTE_MS);
    for (let n = 0; n < 20; n++) expect((await signedIn(parts)).role).toBe("viewer");
    await control.access.members.change(reviewers, jane.id, { isSuspended: true });
    expect(await signedIn(parts)).toMatchObject({ accountId: null, role: null });
  });

  it("is linked to one person, of two who link it at the same time", async () => {
    const { accesses } = await open(database);
    const [one, two] = accesses.both;
    const [jane, john] = [await somebody(accesses, "jane"), await somebody(accesses, "john")];
    const linked = await Promise.all([
      linkIdentity(one, jane.id, JANE_THERE),
      linkIdentity(two, john.id, JANE_THERE),
    ]);
    expect(linked.toSorted()).toEqual(["linked", "taken"]);
    expect(await subjects(accesses)).toHaveLength(1);
  });

  it("is one of ten at most", async () => {
    const { accesses } = await open(database);
    const [parts] = accesses.both;
    const jane = await somebody(accesses, "jane");
    const link = (n: number) => linkIdentity(parts, jane.id, { issuer: ISSUER, subject: `${n}` });
    for (let n = 0; n < 10; n++) expect(await link(n)).toBe("linked");
    expect(await link(10)).toBe("full");
  });

  it("is removed, with a word to the person, but the last way to sign in stays", async () => {
    const { accesses } = await open(database);
    const [one, two] = accesses.both;
    const { email, token } = await invited(accesses, "jane@example.org");
    expect(await acceptByIdentity(one, token, JANE_THERE)).toMatchObject({ isNew: true, person: { email } });
    const { personId } = await signedIn(two);
    const of = () => one.control.access.identities.of(personId);
    const [first] = await of();
    if (first === undefined) throw new Error("nothing was linked");
    expect(await removeIdentity(one, personId, first.id)).toBe("last");
    await linkIdentity(one, personId, { issuer: "https://gone.example", subject: "1" });
    const [, second] = await of();
    if (second === undefined) throw new Error("nothing was linked");
    const removed = await Promise.all([
      removeIdentity(one, personId, first.id),
      removeIdentity(two, personId, second.id),
      removeIdentity(one, personId, second.id),
    ]);
    expect(removed.filter((outcome) => outcome === "removed")).toHaveLength(1);
    const [left] = await of();
    if (left === undefined) throw new Error("nothing is left");
    const john = await somebody(accesses, "john");
    expect(await removeIdentity(one, john.id, left.id)).toBe("not_found");
    expect((await subjects(accesses)).filter((line) => / cannot sign in with /.test(line))).toHaveLength(1);

    // By the way of a forgotten password they get one, and can do without.
    expect((await signIn(one, { email, password: PASSWORD }, VISITOR)).state).toBe("refused");
    expect(await sendReset(one, email, VISITOR.network)).toBe(true);
    const reset = await linkIn(accesses, /\/reset-password\/(\S+)/);
    expect(await resetPassword(two, reset, await one.passwords.hash(PASSWORD))).not.toBeNull();
    expect((await signIn(one, { email, password: PASSWORD }, VISITOR)).state).toBe("signed-in");
    expect(await removeIdentity(one, personId, left.id)).toBe("removed");
    expect(await of()).toEqual([]);
    expect(await signInByIdentity(one, left, VISITOR)).toEqual({ state: "unknown" });
  });

  it("lets in who is invited, once, and leaves the invitation open where it is somebody else's", async () => {
    const { accesses } = await open(database);
    const [one, two] = accesses.both;
    const john = await somebody(accesses, "john");
    await linkIdentity(one, john.id, JANE_THERE);
    const { email, token } = await invited(accesses, "jane@example.org");
    const before = await subjects(accesses);
    expect(await acceptByIdentity(one, token, JANE_THERE)).toBe("taken");
    expect(await one.control.access.people.byEmail(email)).toBeNull();
    expect(await subjects(accesses)).toEqual(before);
    const mine = { issuer: ISSUER, subject: "really-jane" };
    const accepted = await Promise.all([one, two, one].map((parts) => acceptByIdentity(parts, token, mine)));
    expect(accepted.filter((outcome) => outcome === "over")).toHaveLength(2);
    expect(await signedIn(two, mine)).toMatchObject({ email, role: "editor", hasSecondFactor: false });
    expect(await subjects(accesses)).toContain(`${email}: You can sign in with Elsewhere now`);
  });

  it("of somebody invited is not linked to who has that address by then", async () => {
    const { accesses } = await open(database);
    const [parts] = accesses.both;
    const { token } = await invited(accesses, "jane@example.org");
    const jane = await somebody(accesses, "jane");
    expect(await acceptByIdentity(parts, token, JANE_THERE)).toMatchObject({ isNew: false });
    expect(await parts.control.access.identities.of(jane.id)).toEqual([]);
  });

  it("is a way to sign in: its person joins another account by the link of an invitation alone", async () => {
    const { accesses } = await open(database);
    const [parts] = accesses.both;
    const { email, token } = await invited(accesses, "jane@example.org");
    await acceptByIdentity(parts, token, JANE_THERE);
    accesses.clock.advance(MINUTE_MS);
    await parts.control.transaction((within) =>
      invite(within, parts, { accountId: parts.reviewers, email, role: "editor" }),
    );
    const links = (await accesses.stores[0].mails.take(100, 0)).flatMap(
      ({ text }) => /\/invitations\/(\S+)/.exec(text)?.[1] ?? [],
    );
    const verified = await Promise.all(links.map((link) => verifyInvitation(parts, link)));
    expect(verified.filter((one) => one !== null)).toEqual([{ next: "sign-in" }]);
    expect((await parts.control.access.people.byEmail(email))?.password).toBeNull();
  });

  it("proves who somebody is, with a code where there is a second factor, and only its own person", async () => {
    const { accesses, provider } = await open(database);
    const [one, two] = accesses.both;
    const { token } = await invited(accesses, "jane@example.org");
    await acceptByIdentity(one, token, JANE_THERE);
    const session = await signedIn(one);
    const john = await somebody(accesses, "john");
    const johns = { issuer: ISSUER, subject: "john-there" };
    await linkIdentity(one, john.id, johns);
    accesses.clock.advance(20 * MINUTE_MS);
    const provenAt = async () => (await two.control.access.sessions.get(session.id))?.provenAt;
    const before = await provenAt();
    provider.vouchFor("jane-there");
    const startedAt = accesses.clock.now();
    const back = await sent(one, { kind: "prove", session: session.id });
    expect(await returnFromOutside(two, back, VISITOR.network)).toMatchObject({ state: "vouched" });
    expect(provider.asked).toEqual([{ isFresh: true }, { isFresh: true, since: startedAt }]);
    expect(await proveByIdentity(two, session, johns)).toEqual({ state: "other" });
    expect(await proveByIdentity(two, session, { issuer: ISSUER, subject: "nobody" })).toEqual({
      state: "other",
    });
    expect(await provenAt()).toBe(before);
    expect(await proveByIdentity(two, session, JANE_THERE)).toEqual({ state: "proven" });
    expect(await provenAt()).toBe(startedAt);

    const jane = await one.control.access.people.get(session.personId);
    if (jane === null) throw new Error("gone");
    const secret = await withSecondFactor(accesses, jane);
    const asked = await proveByIdentity(one, session, JANE_THERE);
    if (asked.state !== "second-factor") throw new Error(asked.state);
    expect(await provenAt()).toBe(startedAt);
    const code = () => codeAt(secret, accesses.clock.now());
    expect(await proveByCode(two, session, asked.token, "000000")).toBe("refused");
    const johnsToken = await signInByIdentity(one, johns, VISITOR);
    const johnsSession = await sessionOf(one, "token" in johnsToken ? johnsToken.token : "");
    expect(await proveByCode(two, johnsSession, asked.token, code())).toBe("over");
    expect(await proveByCode(two, session, asked.token, code())).toBe("proven");
    expect(await provenAt()).toBe(accesses.clock.now());
    expect(await proveByCode(two, session, asked.token, code())).toBe("over");
  });
});

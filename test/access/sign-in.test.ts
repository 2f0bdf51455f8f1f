import { Secret, TOTP } from "otpauth";
import { describe, expect, it } from "vitest";
import { Email } from "../../schemas/email.ts";
import { invite } from "../../src/access/invite.ts";
import type { AccessParts } from "../../src/access/parts.ts";
import { changePassword, resetPassword, sendReset } from "../../src/access/passwords.ts";
import { proveAgain } from "../../src/access/proof.ts";
import {
  confirmSecondFactor,
  passSecondFactor,
  proposeSecondFactor,
} from "../../src/access/second-factor.ts";
import { type SignIn, signIn } from "../../src/access/sign-in.ts";
import { tokenOf as tokenFrom } from "../../src/domain/access/secret-token.ts";
import type { Person } from "../../src/ports/access.ts";
import {
  accessEngines,
  openAccesses,
  PASSWORD,
  somebody,
  type TwoAccesses,
  VISITOR,
} from "../support/access.ts";

const MINUTE_MS = 60_000;
const STEP_MS = 30_000;
const NEXT_PASSWORD = "wind in a steel mast";

const by = (email: string, password = PASSWORD) => ({ email, password });
const tokenOf = (outcome: SignIn): string => {
  if (outcome.state === "refused") throw new Error("refused");
  return outcome.token;
};
const codeAt = (secret: string, nowMs: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: nowMs });

/** Sets up a second factor; gives its secret and its recovery codes. The code that confirmed it is used up. */
const withSecondFactor = async ({ both: [parts], clock }: TwoAccesses, person: Person) => {
  const proposal = await proposeSecondFactor(parts, person);
  if (proposal === null) throw new Error("there is one");
  const codes = await confirmSecondFactor(parts, person, codeAt(proposal.secret, clock.now()));
  if (codes === null) throw new Error("the code was refused");
  clock.advance(STEP_MS);
  return { secret: proposal.secret, codes };
};
const challenged = async (parts: AccessParts, { email }: Person): Promise<string> => {
  const outcome = await signIn(parts, by(email), VISITOR);
  expect(outcome.state).toBe("second-factor");
  return tokenOf(outcome);
};
const linkOf = async ({ stores: [store] }: TwoAccesses, path: RegExp): Promise<string> => {
  const mails = await store.mails.take(100, 1);
  const [found] = mails.flatMap(({ text }) => path.exec(text)?.[1] ?? []).slice(-1);
  if (found === undefined) throw new Error(`no mail with ${path}`);
  return found;
};
/** The same, where something happens while a password is looked at. */
const during = (parts: AccessParts, happens: () => Promise<unknown>): AccessParts => ({
  ...parts,
  passwords: {
    hash: (password) => parts.passwords.hash(password),
    verify: async (password, kept) => {
      const isRight = await parts.passwords.verify(password, kept);
      await happens();
      return isRight;
    },
  },
});
/** By a link of its own, as somebody does who notices that another one is in. */
const reset = async (parts: AccessParts, { id: subject }: Person, seed: number): Promise<void> => {
  const link = tokenFrom(new Uint8Array(32).fill(seed));
  const expiresAt = parts.clock.now() + MINUTE_MS;
  await parts.control.access.links.add(link, {
    purpose: "reset-password",
    subject,
    content: null,
    expiresAt,
  });
  expect(await resetPassword(parts, link, await parts.passwords.hash(NEXT_PASSWORD))).not.toBeNull();
};
const sessionOf = async (parts: AccessParts, token: string) => {
  const session = await parts.control.access.sessions.find(token);
  if (session === null) throw new Error("the session is over");
  return session;
};
const signedIn = (outcomes: readonly { readonly state: string }[]): number =>
  outcomes.filter(({ state }) => state === "signed-in").length;

const engines = await accessEngines();
describe.each(engines)("signing in, on %s", (_, database) => {
  it("takes the same work, and says the same, for all who may not", async () => {
    const accesses = await openAccesses(database);
    const [parts] = accesses.both;
    const { control, reviewers } = parts;
    await somebody(accesses, "known");
    await somebody(accesses, "locked");
    await control.transaction((within) =>
      invite(within, parts, {
        accountId: reviewers,
        email: Email.parse("pending@example.org"),
        role: "viewer",
      }),
    );
    for (let n = 0; n < 10; n++) await signIn(parts, by("locked@example.org", "wrong"), VISITOR);
    const visitor = { ...VISITOR, network: "198.51.100.1" };
    const seen = [];
    for (const [email, password] of [
      ["known@example.org", "wrong"],
      ["unknown@example.org", "wrong"],
      ["locked@example.org", "wrong"],
      ["locked@example.org", PASSWORD],
      ["pending@example.org", "wrong"],
      ["no address at all", "wrong"],
      ["a@x.example, known@example.org", PASSWORD],
      ["known@example.org", "x".repeat(500)],
    ] as const) {
      accesses.calls();
      const outcome = await signIn(parts, { email, password }, visitor);
      seen.push({ outcome, calls: accesses.calls() });
    }
    for (const one of seen) expect(one).toEqual(seen[0]);
    expect(seen[0]?.outcome).toEqual({ state: "refused" });
    expect(seen[0]?.calls.filter((call) => call.startsWith("argon2"))).toHaveLength(1);
  });

  it("locks a person out after ten failures for a quarter of an hour, and nobody who is in", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const { email } = await somebody(accesses, "jane");
    const open = tokenOf(await signIn(one, by(email), VISITOR));
    const guesses = await Promise.all(
      Array.from({ length: 20 }, (_each, n) =>
        signIn(n % 2 === 0 ? one : two, by("JANE@Example.org", "wrong"), {
          ...VISITOR,
          network: `198.51.100.${n}`,
        }),
      ),
    );
    expect(signedIn(guesses)).toBe(0);
    expect((await signIn(two, by(email), VISITOR)).state).toBe("refused");
    expect(await two.control.access.sessions.find(open)).not.toBeNull();
    accesses.clock.advance(15 * MINUTE_MS);
    expect((await signIn(two, by(email), VISITOR)).state).toBe("signed-in");
  });

  it("locks a network out after fifty failures, whoever was tried", async () => {
    const accesses = await openAccesses(database);
    const [parts] = accesses.both;
    const { email } = await somebody(accesses, "jane");
    for (let n = 0; n < 50; n++) await signIn(parts, by(`nobody-${n}@example.org`, "wrong"), VISITOR);
    expect((await signIn(parts, by(email), VISITOR)).state).toBe("refused");
    // No work is done for it, nothing is noted, and it locks nobody else out.
    accesses.calls();
    for (let n = 0; n < 11; n++) await signIn(parts, by(email, "wrong"), VISITOR);
    expect(new Set(accesses.calls())).toEqual(new Set(["access.people.byEmail", "access.attempts.count"]));
    const elsewhere = { ...VISITOR, network: "198.51.100.1" };
    expect((await signIn(parts, by(email), elsewhere)).state).toBe("signed-in");
  });

  it("with a code takes each code once, at the same time in two, and none before one that was taken", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const person = await somebody(accesses, "jane");
    const { secret } = await withSecondFactor(accesses, person);
    const code = codeAt(secret, accesses.clock.now());
    const challenges = await Promise.all([one, two, one, two].map((parts) => challenged(parts, person)));
    const passed = await Promise.all(
      challenges.map((challenge, n) => passSecondFactor(n % 2 === 0 ? one : two, challenge, code, VISITOR)),
    );
    expect(signedIn(passed)).toBe(1);
    expect((await passSecondFactor(two, await challenged(two, person), code, VISITOR)).state).toBe("refused");
    // A clock that is set back, and a code that its app showed before.
    accesses.clock.advance(-STEP_MS);
    const before = codeAt(secret, accesses.clock.now());
    expect((await passSecondFactor(one, await challenged(one, person), before, VISITOR)).state).toBe(
      "refused",
    );
    accesses.clock.advance(2 * STEP_MS);
    const after = codeAt(secret, accesses.clock.now());
    expect((await passSecondFactor(one, await challenged(one, person), after, VISITOR)).state).toBe(
      "signed-in",
    );
    for (const typed of ["", "000000 ", "１２３４５６", "12345", "1e5"])
      expect((await passSecondFactor(one, await challenged(one, person), typed, VISITOR)).state).toBe(
        "refused",
      );
  });

  it("with a recovery code takes it once, at the same time in two", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const person = await somebody(accesses, "jane");
    const { codes } = await withSecondFactor(accesses, person);
    expect(new Set(codes).size).toBe(10);
    const [code = ""] = codes;
    const challenges = await Promise.all([one, two, one, two].map((parts) => challenged(parts, person)));
    const passed = await Promise.all(
      challenges.map((challenge, n) => passSecondFactor(n % 2 === 0 ? one : two, challenge, code, VISITOR)),
    );
    expect(signedIn(passed)).toBe(1);
    expect((await passSecondFactor(one, await challenged(one, person), code, VISITOR)).state).toBe("refused");
    expect(await one.control.access.people.recoveryCodesLeft(person.id)).toBe(9);
  });

  it("gives a challenge five tries and five minutes, and all of them together ten guesses", async () => {
    const accesses = await openAccesses(database);
    const [parts] = accesses.both;
    const person = await somebody(accesses, "jane");
    const { secret } = await withSecondFactor(accesses, person);
    const now = () => codeAt(secret, accesses.clock.now());
    const first = await challenged(parts, person);
    for (let n = 0; n < 5; n++)
      expect((await passSecondFactor(parts, first, "000000", VISITOR)).state).toBe("refused");
    expect((await passSecondFactor(parts, first, now(), VISITOR)).state).toBe("over");
    const second = await challenged(parts, person);
    for (let n = 0; n < 5; n++) await passSecondFactor(parts, second, "000000", VISITOR);
    const third = await challenged(parts, person);
    expect((await passSecondFactor(parts, third, now(), VISITOR)).state).toBe("refused");
    accesses.clock.advance(15 * MINUTE_MS);
    expect((await passSecondFactor(parts, third, now(), VISITOR)).state).toBe("over");
    const fourth = await challenged(parts, person);
    expect((await passSecondFactor(parts, fourth, now(), VISITOR)).state).toBe("signed-in");
    expect((await passSecondFactor(parts, fourth, now(), VISITOR)).state).toBe("over");
  });

  it("by a new password: its link works once, ends every session, and asks for the code as before", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const person = await somebody(accesses, "jane");
    const { secret } = await withSecondFactor(accesses, person);
    const passed = await passSecondFactor(
      one,
      await challenged(one, person),
      codeAt(secret, accesses.clock.now()),
      VISITOR,
    );
    const token = passed.state === "signed-in" ? passed.token : "";
    expect(token).not.toBe("");
    expect(await sendReset(one, person.email, VISITOR.network)).toBe(true);
    expect(await sendReset(two, person.email, VISITOR.network)).toBe(false);
    const link = await linkOf(accesses, /\/reset-password\/(\S+)/);
    const hash = await one.passwords.hash(NEXT_PASSWORD);
    const resets = await Promise.all([one, two, one, two].map((parts) => resetPassword(parts, link, hash)));
    expect(resets.filter((reset) => reset !== null)).toHaveLength(1);
    expect(await resetPassword(one, link, hash)).toBeNull();
    expect(await one.control.access.sessions.find(token)).toBeNull();
    expect((await signIn(one, by(person.email), VISITOR)).state).toBe("refused");
    expect((await signIn(one, by(person.email, NEXT_PASSWORD), VISITOR)).state).toBe("second-factor");
  });

  it("lets nobody in by a password that was replaced while it was looked at", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const [jane, john] = [await somebody(accesses, "jane"), await somebody(accesses, "john")];
    await withSecondFactor(accesses, john);
    for (const [n, person] of [jane, john].entries()) {
      const slow = during(one, () => reset(two, person, n));
      expect(await signIn(slow, by(person.email), VISITOR)).toEqual({ state: "refused" });
      expect(await two.control.access.sessions.list(person.id)).toEqual([]);
    }
    expect((await signIn(one, by(jane.email, NEXT_PASSWORD), VISITOR)).state).toBe("signed-in");
  });

  it("changes no password and proves nothing by one that was replaced while it was looked at", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const jane = await somebody(accesses, "jane");
    const token = tokenOf(await signIn(one, by(jane.email), VISITOR));
    const { id: session } = await sessionOf(one, token);
    const replaced = during(one, async () => {
      const kept = await two.passwords.hash(NEXT_PASSWORD);
      await two.control.access.people.setPassword(jane.id, kept);
    });
    accesses.clock.advance(MINUTE_MS);
    const { provenAt } = await sessionOf(one, token);
    expect(await proveAgain(replaced, jane, session, { password: PASSWORD }, "192.0.2.1")).toBe(false);
    expect(await sessionOf(one, token)).toMatchObject({ provenAt });
    const next = { current: PASSWORD, next: "another one altogether" };
    expect(await changePassword(replaced, jane, next, session, "192.0.2.1")).toBe(false);
    expect((await signIn(one, by(jane.email, NEXT_PASSWORD), VISITOR)).state).toBe("signed-in");
  });

  it("ends by a new password what waits for a code, and the lock of those who guessed the one before", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const jane = await somebody(accesses, "jane");
    const { secret } = await withSecondFactor(accesses, jane);
    const code = () => codeAt(secret, accesses.clock.now());
    const waiting = await challenged(one, jane);
    const elsewhere = { ...VISITOR, network: "198.51.100.1" };
    for (let n = 0; n < 11; n++) await signIn(one, by(jane.email, "wrong"), elsewhere);
    await reset(two, jane, 1);
    expect((await passSecondFactor(one, waiting, code(), VISITOR)).state).toBe("over");
    const again = await signIn(one, by(jane.email, NEXT_PASSWORD), VISITOR);
    expect(again.state).toBe("second-factor");
    expect((await passSecondFactor(one, tokenOf(again), code(), VISITOR)).state).toBe("signed-in");
  });

  it("sets up a second factor by ten guesses of its first code, and no more in a quarter of an hour", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const jane = await somebody(accesses, "jane");
    const proposal = await proposeSecondFactor(one, jane);
    const code = () => codeAt(proposal?.secret ?? "", accesses.clock.now());
    for (let n = 0; n < 10; n++)
      expect(await confirmSecondFactor(n % 2 === 0 ? one : two, jane, "000000")).toBeNull();
    expect(await confirmSecondFactor(one, jane, code())).toBeNull();
    accesses.clock.advance(15 * MINUTE_MS);
    expect(await confirmSecondFactor(one, jane, code())).toHaveLength(10);
  });

  it("by a link that is too old, or that a newer one replaced, sets no password", async () => {
    const accesses = await openAccesses(database);
    const [parts] = accesses.both;
    const person = await somebody(accesses, "jane");
    await sendReset(parts, person.email, VISITOR.network);
    const first = await linkOf(accesses, /\/reset-password\/(\S+)/);
    accesses.clock.advance(MINUTE_MS);
    await sendReset(parts, person.email, VISITOR.network);
    const second = await linkOf(accesses, /\/reset-password\/(\S+)/);
    const hash = await parts.passwords.hash(NEXT_PASSWORD);
    expect(second).not.toBe(first);
    expect(await resetPassword(parts, first, hash)).toBeNull();
    accesses.clock.advance(30 * MINUTE_MS);
    expect(await resetPassword(parts, second, hash)).toBeNull();
    expect(await sendReset(parts, Email.parse("nobody@example.org"), VISITOR.network)).toBe(true);
    expect(await linkOf(accesses, /(\/request-access)/)).toBe("/request-access");
  });

  it("proves again who somebody is by the password and the code, and counts guesses of both", async () => {
    const accesses = await openAccesses(database);
    const [parts] = accesses.both;
    const person = await somebody(accesses, "jane");
    const { secret } = await withSecondFactor(accesses, person);
    const known = await parts.control.access.people.get(person.id);
    if (known === null) throw new Error("gone");
    const { id: session } = await parts.control.access.sessions.create("a token", {
      ...VISITOR,
      personId: person.id,
      accountId: null,
      hasSecondFactor: false,
    });
    const prove = (password: string, code?: string) =>
      proveAgain(parts, known, session, { password, code }, "192.0.2.1");
    expect(await prove(PASSWORD)).toBe(false);
    expect(await prove("wrong", codeAt(secret, accesses.clock.now()))).toBe(false);
    expect(await parts.control.access.sessions.get(session)).toMatchObject({ hasSecondFactor: false });
    expect(await prove(PASSWORD, codeAt(secret, accesses.clock.now()))).toBe(true);
    expect(await parts.control.access.sessions.get(session)).toMatchObject({
      hasSecondFactor: true,
      provenAt: accesses.clock.now(),
    });
    for (let n = 0; n < 10; n++) await prove("wrong", "000000");
    accesses.clock.advance(STEP_MS);
    expect(await prove(PASSWORD, codeAt(secret, accesses.clock.now()))).toBe(false);
  });
});

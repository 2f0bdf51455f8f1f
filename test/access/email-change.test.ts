import { describe, expect, it, vi } from "vitest";
import { Email } from "../../schemas/email.ts";
import { askForEmailChange, confirmEmail } from "../../src/access/email-change.ts";
import { resetPassword, sendReset } from "../../src/access/passwords.ts";
import { signIn } from "../../src/access/sign-in.ts";
import { EMAIL_CHANGE_MS } from "../../src/domain/access/limits.ts";
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
const NEXT = Email.parse("Jane.Next@Example.org");
const OTHER = Email.parse("other@example.org");

/** The newest link of a kind that was sent to each address. */
const linksSent = async ({ stores: [store] }: TwoAccesses, path: RegExp): Promise<Map<string, string>> => {
  const mails = await store.mails.take(100, 1);
  return new Map(
    mails.flatMap(
      ({ to, text }) =>
        path
          .exec(text)
          ?.slice(1)
          .map((link) => [to, link]) ?? [],
    ),
  );
};
/** Asks for the change; gives the links of the old and of the new end. */
const asked = async (accesses: TwoAccesses, person: Person, next = NEXT) => {
  expect(await askForEmailChange(accesses.both[0], person, next)).toBeNull();
  const sent = await linksSent(accesses, /\/confirm-email\/(\S+)/);
  const [old, fresh] = [sent.get(person.email), sent.get(next)];
  if (old === undefined || fresh === undefined) throw new Error("not both addresses were asked");
  return { old, fresh };
};
const opened = async (database: Parameters<typeof openAccesses>[0]) => {
  const accesses = await openAccesses(database);
  const jane = await somebody(accesses, "jane");
  const { people } = accesses.both[0].control.access;
  const emailNow = async () => (await people.get(jane.id))?.email;
  return { accesses, both: accesses.both, jane, emailNow };
};

const engines = await accessEngines();
describe.each(engines)("a change of the e-mail address, on %s", (_, database) => {
  it.each([
    ["old", "fresh"],
    ["fresh", "old"],
  ] as const)("is made once both have confirmed, the %s one first", async (first, second) => {
    const { accesses, both, jane, emailNow } = await opened(database);
    const [one, two] = both;
    const links = await asked(accesses, jane);
    expect(await confirmEmail(one, links[first])).toBe("other-end");
    expect(await confirmEmail(two, links[first])).toBe("over");
    expect(await emailNow()).toBe(jane.email);
    expect(await confirmEmail(two, links[second])).toBe("changed");
    expect(await confirmEmail(one, links[second])).toBe("over");
    expect(await emailNow()).toBe("jane.next@example.org");
    const by = (email: string) => signIn(one, { email, password: PASSWORD }, VISITOR);
    expect((await by("JANE.NEXT@example.ORG")).state).toBe("signed-in");
    expect((await by(jane.email)).state).toBe("refused");
  });

  it("is made once where both confirm at the same time", async () => {
    const { accesses, both, jane, emailNow } = await opened(database);
    const { old, fresh } = await asked(accesses, jane);
    const outcomes = await Promise.all([confirmEmail(both[0], old), confirmEmail(both[1], fresh)]);
    expect(outcomes.toSorted()).toEqual(["changed", "other-end"]);
    expect(await emailNow()).toBe(NEXT);
  });

  it("is made by no end alone, also where the other one expires at that moment", async () => {
    const { accesses, both, jane, emailNow } = await opened(database);
    const { clock } = accesses;
    const { old, fresh } = await asked(accesses, jane);
    clock.advance(EMAIL_CHANGE_MS - 1);
    // Whoever asks for the time twice finds the hour over at the second time.
    const now = clock.now.bind(clock);
    const ticking = vi.spyOn(clock, "now").mockImplementation(() => {
      const at = now();
      clock.advance(1);
      return at;
    });
    expect(await confirmEmail(both[0], fresh)).toBe("other-end");
    ticking.mockRestore();
    expect(await confirmEmail(both[0], old)).toBe("over");
    expect(await emailNow()).toBe(jane.email);
  });

  it("is not made of the ends of two that were asked for one after the other", async () => {
    const { accesses, both, jane, emailNow } = await opened(database);
    const first = await asked(accesses, jane, OTHER);
    expect(await confirmEmail(both[0], first.old)).toBe("other-end");
    expect(await askForEmailChange(both[0], jane, NEXT)).toEqual({ waitMs: MINUTE_MS });
    accesses.clock.advance(MINUTE_MS);
    const second = await asked(accesses, jane);
    expect(await confirmEmail(both[0], first.fresh)).toBe("over");
    expect(await confirmEmail(both[0], second.fresh)).toBe("other-end");
    expect(await emailNow()).toBe(jane.email);
    expect(await confirmEmail(both[1], second.old)).toBe("changed");
    expect(await emailNow()).toBe(NEXT);
  });

  it("is not made where somebody else has taken the address meanwhile", async () => {
    const { accesses, both, jane, emailNow } = await opened(database);
    const { old, fresh } = await asked(accesses, jane);
    expect(await confirmEmail(both[0], fresh)).toBe("other-end");
    expect(await both[1].control.access.people.create(NEXT, null)).not.toBeNull();
    expect(await confirmEmail(both[0], old)).toBe("taken");
    expect(await emailNow()).toBe(jane.email);
  });

  it("leaves no link to a new password in the old mailbox", async () => {
    const { accesses, both, jane } = await opened(database);
    await sendReset(both[0], jane.email, "192.0.2.7");
    const reset = (await linksSent(accesses, /\/reset-password\/(\S+)/)).get(jane.email) ?? "";
    const { old, fresh } = await asked(accesses, jane);
    const { links } = both[0].control.access;
    await confirmEmail(both[0], old);
    expect(await links.look(reset, "reset-password")).not.toBeNull();
    await confirmEmail(both[0], fresh);
    expect(await resetPassword(both[0], reset, "a hash")).toBeNull();
  });
});

import { describe, expect, it } from "vitest";
import { Email } from "../../schemas/email.ts";
import { becomeFirstOwner, firstOwnerLink } from "../../src/access/first-owner.ts";
import { accessEngines, openAccesses, type TwoAccesses } from "../support/access.ts";

const DAY_MS = 86_400_000;
const OLGA = Email.parse("olga@example.org");
const TYPO = Email.parse("ogla@example.org");
const HASH = "$argon2id$kept";

/** Where links were sent, oldest first, and their tokens. */
const sent = async ({ stores: [store] }: TwoAccesses) =>
  (await store.mails.take(100, 0)).map(({ to, text }) => ({
    to,
    token: /\/first-owner\/(\S+)/.exec(text)?.[1] ?? "",
  }));
const tokenIn = (url: string | null): string => url?.split("/first-owner/")[1] ?? "";

const engines = await accessEngines();
describe.each(engines)("the first owner, on %s", (_, database) => {
  it("is sent a link once, which no other address takes, and the next when it is over", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    for (const parts of [one, two, one]) expect(await firstOwnerLink(parts, OLGA)).toBeNull();
    const [mail, ...others] = await sent(accesses);
    expect([mail?.to, others]).toEqual([OLGA, []]);
    accesses.clock.advance(7 * DAY_MS);
    await firstOwnerLink(one, OLGA);
    expect(await becomeFirstOwner(one, mail?.token ?? "", OLGA, HASH)).toBeNull();
    const next = (await sent(accesses)).at(-1)?.token ?? "";
    expect(await becomeFirstOwner(one, next, OLGA, HASH)).toMatchObject({ email: OLGA });
    expect(await firstOwnerLink(two, OLGA)).toBeNull();
    expect(await firstOwnerLink(two, null)).toBeNull();
  });

  it("is sent a link at once where the address is set, or put right, and no older one works", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const shown = [tokenIn(await firstOwnerLink(one, null)), tokenIn(await firstOwnerLink(two, null))];
    await firstOwnerLink(one, TYPO);
    accesses.clock.advance(1);
    await firstOwnerLink(two, OLGA);
    await firstOwnerLink(one, OLGA);
    const mails = await sent(accesses);
    expect(mails.map(({ to }) => to)).toEqual([TYPO, OLGA]);
    for (const token of [...shown, mails[0]?.token ?? ""]) {
      expect(token).toMatch(/^[\w-]{43}$/);
      expect(await one.control.access.links.look(token, "first-owner")).toBeNull();
      expect(await becomeFirstOwner(one, token, TYPO, HASH)).toBeNull();
    }
    const last = mails[1]?.token ?? "";
    expect(await becomeFirstOwner(two, last, OLGA, HASH)).toMatchObject({ email: OLGA });
  });

  it("is one, of two with links of their own who come at the same time", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const links = [];
    for (let n = 0; n < 4; n++) links.push(tokenIn(await firstOwnerLink(n % 2 === 0 ? one : two, null)));
    const became = await Promise.all(
      links.map((token, n) =>
        becomeFirstOwner(n % 2 === 0 ? one : two, token, Email.parse(`owner-${n}@example.org`), HASH),
      ),
    );
    expect(became.filter((person) => person !== null).length).toBe(1);
    const { access } = one.control;
    expect((await access.members.owners(one.reviewers)).length).toBe(1);
    for (const token of links) expect(await access.links.look(token, "first-owner")).toBeNull();
    for (let n = 0; n < 4; n++)
      expect((await access.people.byEmail(Email.parse(`owner-${n}@example.org`))) !== null).toBe(
        became[n] !== null,
      );
  });
});

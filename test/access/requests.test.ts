import { describe, expect, it } from "vitest";
import { Email } from "../../schemas/email.ts";
import { sendReset } from "../../src/access/passwords.ts";
import { approveRequest, isOverdue, remindOfRequests, requestAccess } from "../../src/access/requests.ts";
import { networkOf } from "../../src/serve/people/network.ts";
import { accessEngines, openAccesses, somebody, type TwoAccesses } from "../support/access.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NETWORK = "192.0.2.1";
const JANE = Email.parse("jane@example.org");

const asked = (email: Email = JANE, useCase = "I watch forty masts of a rescue service.") => ({
  email,
  useCase,
});
const person = (n: number) => Email.parse(`person-${n}@example.org`);
const pending = async ({ stores: [store] }: TwoAccesses) =>
  (await store.access.requests.list({ limit: 100, state: "pending" })).items;
const mailsTo = async ({ stores: [store] }: TwoAccesses, to: Email): Promise<string[]> =>
  (await store.mails.take(100, 0)).filter((mail) => mail.to === to).map(({ subject }) => subject);

const engines = await accessEngines();
describe.each(engines)("an access request, on %s", (_, database) => {
  it("is taken three times a day for one address, from wherever it comes", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const outcomes = await Promise.all(
      [one, two, one, two, one].map((parts, n) => requestAccess(parts, asked(), `192.0.2.${n}`)),
    );
    expect(outcomes.filter((outcome) => outcome === null).length).toBe(3);
    expect(outcomes.filter((outcome) => outcome?.waitMs === DAY_MS).length).toBe(2);
    expect((await pending(accesses)).length).toBe(1);
    expect((await mailsTo(accesses, JANE)).length).toBe(3);
    expect(await requestAccess(two, asked(person(1)), NETWORK)).toBeNull();
    accesses.clock.advance(DAY_MS - 1);
    expect(await requestAccess(one, asked(), NETWORK)).toEqual({ waitMs: 1 });
    accesses.clock.advance(1);
    expect(await requestAccess(one, asked(), NETWORK)).toBeNull();
  });

  it("is taken ten times an hour from one network, whoever it is for", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    const from = (address: string, n: number) =>
      requestAccess(n % 2 === 0 ? one : two, asked(person(n)), networkOf(address));
    const outcomes = await Promise.all(Array.from({ length: 14 }, (_each, n) => from(NETWORK, n)));
    expect(outcomes.filter((outcome) => outcome === null).length).toBe(10);
    expect(outcomes.filter((outcome) => outcome?.waitMs === HOUR_MS).length).toBe(4);
    expect((await pending(accesses)).length).toBe(10);
    expect(await from("192.0.2.2", 20)).toBeNull();
    // The first half of an IPv6 address is one network.
    for (let n = 30; n < 40; n++) expect(await from(`2001:db8:0:1:${n}::1`, n)).toBeNull();
    expect(await from("2001:db8:0:1:ffff:ffff:ffff:ffff", 40)).toEqual({ waitMs: HOUR_MS });
    expect(await from("2001:db8:0:2::1", 41)).toBeNull();
    accesses.clock.advance(HOUR_MS);
    expect(await from(NETWORK, 50)).toBeNull();
  });

  it("that waits keeps what stands in it, whoever asks again, and is one", async () => {
    const accesses = await openAccesses(database);
    const [one, two] = accesses.both;
    await requestAccess(one, asked(), NETWORK);
    expect(
      await requestAccess(two, asked(JANE, "Look at https://evil.example at once."), NETWORK),
    ).toBeNull();
    expect(await pending(accesses)).toMatchObject([asked()]);
  });

  it("is overdue after a day, and owners are reminded of it once", async () => {
    const accesses = await openAccesses(database);
    const { clock } = accesses;
    const [one, two] = accesses.both;
    const owner = await somebody(accesses, "olga", "owner");
    await somebody(accesses, "ed", "editor");
    await requestAccess(one, asked(), NETWORK);
    await requestAccess(one, asked(person(1)), NETWORK);
    const [first, decided] = await pending(accesses);
    if (first === undefined || decided === undefined) throw new Error("two wait");
    const into = { accountId: one.reviewers, role: "viewer", note: null } as const;
    await approveRequest(one, decided.id, into);
    clock.advance(DAY_MS);
    expect((await pending(accesses)).map((request) => isOverdue(request, clock.now()))).toEqual([true]);
    expect(isOverdue(first, clock.now() - 1)).toBe(false);
    expect(await remindOfRequests(one)).toBe(0);
    clock.advance(1);
    const reminded = await Promise.all([one, two, one].map((parts) => remindOfRequests(parts)));
    expect(reminded.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await remindOfRequests(two)).toBe(0);
    const overdue = `Overdue: access request from ${first.email}`;
    expect((await mailsTo(accesses, owner.email)).filter((subject) => subject === overdue)).toEqual([
      overdue,
    ]);
    expect(await mailsTo(accesses, Email.parse("ed@example.org"))).toEqual([]);
  });

  it("takes the same work, and so does a forgotten password, whether somebody has the address or not", async () => {
    const accesses = await openAccesses(database);
    const [parts] = accesses.both;
    const { email } = await somebody(accesses, "known");
    const seen = new Set<string>();
    for (const [n, address] of [email, person(1), email, person(1)].entries()) {
      accesses.calls();
      const outcome = await requestAccess(parts, asked(address), `192.0.2.${n}`);
      seen.add(JSON.stringify([outcome, accesses.calls()]));
    }
    expect([...seen]).toEqual([JSON.stringify([null, ["access.attempts.count", "transaction"]])]);
    seen.clear();
    for (const address of [email, person(1)]) {
      accesses.calls();
      const outcome = await sendReset(parts, address, NETWORK);
      seen.add(JSON.stringify([outcome, accesses.calls()]));
    }
    expect([...seen]).toEqual([JSON.stringify([true, ["transaction"]])]);
  });
});

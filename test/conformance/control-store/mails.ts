import { describe, expect, it } from "vitest";
import { MailId } from "../../../schemas/common.ts";
import { Email } from "../../../schemas/email.ts";
import type { NewMail } from "../../../src/ports/mail.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { fixedUlid } from "./examples.ts";

const LEASE_MS = 60_000;
const HOUR_MS = 3_600_000;
const LINK = "https://signals.example.org/invitations/kept-secret-by-nobody-but-you";

const aMail = (fields: Partial<NewMail> = {}): NewMail => ({
  to: Email.parse("jane@example.org"),
  subject: "You are invited",
  text: `Come in: ${LINK}`,
  html: `<a href="${LINK}">Come in</a>`,
  expiresAt: HOUR_MS,
  ...fields,
});

export const mailsSuite = (newDatabase: NewDatabase): void => {
  describe("e-mails", () => {
    it("are each for one taker at a time, and for another once its lease has ended", async () => {
      const clock = new ManualClock(0);
      const [one, two] = await (await newDatabase()).openTwo();
      const ids = [];
      for (let i = 0; i < 6; i++) ids.push(await one.mails.add(aMail({ expiresAt: Date.now() + HOUR_MS })));
      const taken = await Promise.all([one.mails.take(4, LEASE_MS), two.mails.take(4, LEASE_MS)]);
      const rest = [...(await one.mails.take(4, LEASE_MS)), ...(await two.mails.take(4, LEASE_MS))];
      expect([...taken.flat(), ...rest].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());

      const store = await (await newDatabase()).open({ clock });
      await store.mails.add(aMail());
      const [first] = await store.mails.take(1, LEASE_MS);
      clock.advance(LEASE_MS - 1);
      expect(await store.mails.take(1, LEASE_MS)).toEqual([]);
      clock.advance(1);
      const [second] = await store.mails.take(1, LEASE_MS);
      if (first === undefined || second === undefined) throw new Error("both were due");
      expect(second).toEqual({ ...aMail(), id: first.id, claim: second.claim, attempts: 1 });
      expect(await store.mails.sent(first)).toBe(false);
      expect(await store.mails.failed(first, { error: "late", nextAttemptAt: null })).toBe(false);
      expect(await store.mails.sent(second)).toBe(true);
      expect(await store.mails.sent(second)).toBe(false);
      expect(await store.mails.get(first.id)).toEqual({
        id: first.id,
        to: "jane@example.org",
        state: "sent",
        attempts: 2,
        error: null,
        endedAt: LEASE_MS,
      });
    });

    it("that could not be sent come again when it is time, until they have expired or are given up", async () => {
      const clock = new ManualClock(0);
      const { mails } = await (await newDatabase()).open({ clock });
      const [tried, given] = [await mails.add(aMail()), await mails.add(aMail())];
      const [first, second] = await mails.take(9, LEASE_MS);
      if (first === undefined || second === undefined) throw new Error("both were due");
      expect([first.id, second.id]).toEqual([tried, given].toSorted());
      await mails.failed(first, { error: "421 later", nextAttemptAt: 10_000 });
      await mails.failed(second, { error: "550 nobody", nextAttemptAt: null });
      expect(await mails.waiting()).toBe(1);
      clock.advance(9_999);
      expect(await mails.take(9, LEASE_MS)).toEqual([]);
      clock.advance(1);
      const [again] = await mails.take(9, LEASE_MS);
      expect(again).toMatchObject({ id: first.id, attempts: 1 });
      clock.advance(HOUR_MS);
      expect(await mails.take(9, LEASE_MS)).toEqual([]);
      expect(await mails.waiting()).toBe(0);
      const states = await Promise.all([mails.get(first.id), mails.get(second.id)]);
      expect(states).toMatchObject([
        { state: "failed", error: "it expired before it could be sent", endedAt: 10_000 + HOUR_MS },
        { state: "failed", error: "550 nobody", endedAt: 0 },
      ]);
    });

    it("of one id are one, however often they are added, and say what they follow and how they are stopped", async () => {
      const clock = new ManualClock(0);
      const { mails } = await (await newDatabase()).open({ clock });
      const [id, before] = [1, 2].map((n) => MailId.parse(`eml_${fixedUlid(n)}`));
      if (id === undefined || before === undefined) throw new Error("two");
      const mail = aMail({ id, follows: [before], stopUrl: LINK });
      expect(await mails.add(mail)).toBe(id);
      expect(await mails.add({ ...mail, subject: "again" })).toBe(id);
      const due = await mails.take(9, LEASE_MS);
      expect(due).toEqual([{ ...mail, claim: due[0]?.claim, attempts: 0 }]);
    });

    it("let nobody in who reads the database, and are forgotten some time after their end", async () => {
      const clock = new ManualClock(0);
      const database = await newDatabase();
      const { mails } = await database.open({ clock });
      await mails.add(aMail());
      await mails.add(aMail());
      const [mail] = await mails.take(1, LEASE_MS);
      if (mail === undefined) throw new Error("it was due");
      expect((await database.bytes()).includes("kept-secret-by-nobody-but-you")).toBe(false);
      await mails.sent(mail);
      expect(await mails.prune(0, 9)).toBe(0);
      expect(await mails.prune(1, 9)).toBe(1);
      expect(await mails.get(mail.id)).toBeNull();
      expect(await mails.waiting()).toBe(1);
    });
  });
};

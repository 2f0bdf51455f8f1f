import { describe, expect, test } from "vitest";
import { AccountId } from "../../schemas/common.ts";
import { LISTED_MAX } from "../../src/domain/alert-mails/alert-mail.ts";
import { FOLLOWED_MAX, INTERVAL_MS, WAIT_MS } from "../../src/domain/alert-mails/box.ts";
import { addressSpender, spend } from "../../src/domain/alert-mails/budget.ts";
import { fixedUlid } from "../conformance/control-store/examples.ts";
import { AlertEvents, JANE, OMAR } from "../support/alert-events.ts";
import { Mailing, PUBLIC_URL } from "../support/mailing.ts";
import { ruleId } from "../support/partition.ts";
import { startReceiver } from "../support/receiver.ts";

const MINUTE_MS = 60_000;
const STANDS_FOR = /stands for ([\d,]+) changes/;
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

const opened = async () => {
  const mailing = await Mailing.open();
  await mailing.start();
  return mailing;
};
/** How many changes of alerts an e-mail says that it tells. */
const told = (text: string): number =>
  Number(STANDS_FOR.exec(text)?.[1]?.replaceAll(",", "") ?? text.match(/^- /gm)?.length);

describe("e-mails of alerts", () => {
  test("tell each address of a firing, and of its end beneath it", async () => {
    const mailing = await opened();
    const events = new AlertEvents(mailing.own.account, [JANE, OMAR]);
    await mailing.happen(events.firing(1, mailing.now));
    expect(mailing.sent).toEqual([]);
    await mailing.arrived(2, WAIT_MS);
    await mailing.happen(events.resolved(1, mailing.now), events.acknowledged(1, mailing.now));
    await mailing.arrived(4, INTERVAL_MS);
    for (const address of [JANE, OMAR]) {
      const [firing, resolved] = mailing.to(address);
      expect(mailing.subjects(address)).toEqual(["[firing] rule 1: signal 1", "[resolved] rule 1: signal 1"]);
      expect([firing?.follows, resolved?.follows]).toEqual([[], [firing?.id]]);
      for (const mail of [firing, resolved]) {
        expect(mail?.text).toContain(`${PUBLIC_URL}/alerts/${events.alertId(1)}\n`);
        expect(mail?.stopUrl).toMatch(/^https:\/\/signals\.example\.org\/stop-mails\/[\w-]{43}$/);
        expect(mail?.text).toContain(`Stop these e-mails: ${mail?.stopUrl}\n`);
      }
      expect(firing?.stopUrl).not.toBe(resolved?.stopUrl);
    }
    expect(await mailing.metric('deliver_alert_mails_total{of="rule"}')).toBe(4);
    expect(await mailing.metric('deliver_alert_mail_news_total{outcome="followed"}')).toBe(4);
  });

  test("tell what happens together together, and rules each by themselves while they are few", async () => {
    const mailing = await opened();
    const { events } = mailing;
    const of = (rule: number, n: number) => events.firing(n, mailing.now, { rule });
    await mailing.happen(of(1, 1), of(1, 2), of(2, 1));
    await mailing.arrived(2, WAIT_MS);
    expect(mailing.subjects().toSorted()).toEqual(["[firing] rule 1: 2 alerts", "[firing] rule 2: signal 1"]);
    await mailing.happen(...numbers(1, 4).map((rule) => of(rule, 7)));
    await mailing.arrived(3, INTERVAL_MS + WAIT_MS);
    expect(mailing.subjects().at(-1)).toBe("[firing] 4 rules: 4 alerts");
    expect(await mailing.metric('deliver_alert_mails_total{of="digest"}')).toBe(1);
  });

  test("make one e-mail of a source that fails with a thousand signals, and one of its recovery", async () => {
    const mailing = await opened();
    const signals = numbers(0, 1_000);
    await mailing.firing(...signals);
    await mailing.arrived(1, WAIT_MS);
    await mailing.resolved(...signals);
    await mailing.arrived(2, INTERVAL_MS);
    await mailing.settled();
    expect(mailing.subjects()).toEqual(["[firing] rule 1: 1,000 alerts", "[resolved] rule 1: 1,000 alerts"]);
    const [firing, resolved] = mailing.sent;
    expect(firing?.text.match(/^- signal \d+ fires/gm)).toHaveLength(LISTED_MAX);
    expect(firing?.text).toContain("- and 950 more firing");
    expect(firing?.text).toContain("stands for 1,000 changes");
    expect(resolved?.follows).toEqual([firing?.id]);
  });

  test("count what is beyond those that are followed, and leave nothing out", async () => {
    const mailing = await opened();
    await mailing.firing(...numbers(0, FOLLOWED_MAX + 500));
    await mailing.resolved(...numbers(FOLLOWED_MAX, 200));
    await mailing.arrived(1, WAIT_MS);
    expect(mailing.subjects()).toEqual(["[firing] rule 1: 1,500 alerts, 200 resolved"]);
    expect(told(mailing.sent[0]?.text ?? "")).toBe(1_700);
    expect(await mailing.metric('deliver_alert_mail_news_total{outcome="counted"}')).toBe(700);
  });

  test("wait once an address has had as many as it may, say so, and then tell all of it", async () => {
    const mailing = await opened();
    const { own } = mailing;
    const { name, allowance } = addressSpender(JANE);
    // All but two: one more comes every six minutes.
    await own.control.alertMails.spend(new Map([[name, spend(allowance, 0, mailing.now, 8)]]));
    const until = mailing.now + 15 * MINUTE_MS;
    const said = new Set<string | null>();
    let n = 0;
    while (mailing.now < until) {
      await mailing.firing(n++);
      own.clock.advance(MINUTE_MS);
      await mailing.settled();
      for (const part of own.health())
        if (part.name === "alert-mail") said.add(`${part.state} ${part.detail}`);
    }
    expect(n).toBeGreaterThan(10);
    expect([4, 5]).toContain(mailing.sent.length);
    expect([...said].toSorted()).toEqual([
      "ok alert e-mails wait, to be told together: an address has had its 20 in an hour",
      "ok null",
    ]);
    expect(await mailing.metric('deliver_alert_mail_waits_total{limit="address"}')).toBeGreaterThan(0);
    const before = mailing.sent.length;
    await mailing.arrived(before + 1, 10 * MINUTE_MS);
    await mailing.settled();
    expect(mailing.sent.reduce((sum, { text }) => sum + told(text), 0)).toBe(n);
  });

  test("are not made of what an address has stopped, and waiting ones are dropped", async () => {
    const mailing = await opened();
    const { own, events } = mailing;
    const box = { accountId: own.account, recipient: JANE };
    await own.control.alertMails.stop(box, ruleId(1));
    await mailing.happen(events.firing(1, mailing.now), events.firing(1, mailing.now, { rule: 2 }));
    await mailing.arrived(1, WAIT_MS);
    expect(mailing.subjects()).toEqual(["[firing] rule 2: signal 1"]);
    expect(await mailing.metric('deliver_alert_mail_news_total{outcome="stopped"}')).toBe(1);
    await mailing.happen(events.firing(2, mailing.now, { rule: 2 }));
    await own.control.alertMails.stop(box, "all");
    own.clock.advance(INTERVAL_MS);
    await mailing.settled();
    expect(mailing.sent).toHaveLength(1);
    for (const scope of ["all", ruleId(1)] as const) await own.control.alertMails.resume(box, scope);
    await mailing.firing(3);
    await mailing.arrived(2, INTERVAL_MS);
    expect(mailing.subjects().at(-1)).toBe("[firing] rule 1: signal 3");
  });

  test("tell the end to who was told the firing, though the rule names somebody else by then", async () => {
    const mailing = await opened();
    const { events } = mailing;
    await mailing.firing(1);
    await mailing.arrived(1, WAIT_MS);
    const terms = { severity: "warning", notify: { emails: [JANE] }, labels: {} } as const;
    const alert = { notify: { emails: [OMAR] }, toldAs: [{ ...terms, notify: { emails: [JANE] } }] };
    await mailing.happen(events.resolved(1, mailing.now, { alert }));
    await mailing.arrived(3, INTERVAL_MS);
    const both = ["[firing] rule 1: signal 1", "[resolved] rule 1: signal 1"];
    expect([mailing.subjects(JANE), mailing.subjects(OMAR)]).toEqual([both, both.slice(1)]);
  });

  test("are of one account each, but an address gets no more for being named by several", async () => {
    const mailing = await opened();
    const accounts = numbers(1, 12).map((n) => AccountId.parse(`acc_${fixedUlid(n)}`));
    const all = accounts.map((account) => new AlertEvents(account).firing(1, mailing.now));
    await mailing.happen(...all);
    mailing.own.clock.advance(WAIT_MS);
    await mailing.settled();
    expect(mailing.sent).toHaveLength(10);
    for (const { text } of mailing.sent) expect(text.match(/^- /gm)).toHaveLength(1);
    await mailing.arrived(12, 12 * MINUTE_MS);
    expect(new Set(mailing.sent.map(({ text }) => /alr_\w+/.exec(text)?.[0])).size).toBe(12);
  });

  test("of an account to many addresses are limited, and told on the spot", async () => {
    const mailing = await opened();
    const { own } = mailing;
    const spent = own.clock.now() + 100 * 36_000;
    await own.control.alertMails.spend(new Map([[`account ${own.account}`, spent]]));
    await mailing.firing(1);
    own.clock.advance(WAIT_MS);
    await mailing.settled();
    expect(mailing.sent).toEqual([]);
    expect(own.health().find(({ name }) => name === "alert-mail")?.detail).toMatch(
      /an account has had its 200/,
    );
    expect(await mailing.metric('deliver_alert_mail_waits_total{limit="account"}')).toBe(1);
    await mailing.arrived(1, 36_000);
  });

  test("wait until it is known where their links lead, and it is told", async () => {
    const mailing = await Mailing.open();
    const { own } = mailing;
    let isKnown = false;
    const { facts } = own.control;
    const get = async (name: string) => (isKnown ? facts.get(name) : null);
    const forgetting = await Mailing.open(own.clock, { ...own.control, facts: { ...facts, get } });
    await forgetting.start();
    await forgetting.firing(1);
    own.clock.advance(WAIT_MS);
    const said = () => forgetting.own.health().find(({ name }) => name === "alert-mail");
    await forgetting.own.passing("it to be told", () => said()?.state === "degraded");
    isKnown = true;
    await forgetting.arrived(1);
    expect(said()?.state).toBe("ok");
  });

  test("name their addresses to no webhook", async () => {
    const mailing = await opened();
    const receiver = await startReceiver();
    await mailing.own.subscribe(receiver.url, { events: ["alert.firing", "alert.resolved"] });
    const { events } = mailing;
    const toldAs = [{ severity: "warning" as const, notify: { emails: [OMAR] }, labels: {} }];
    await mailing.happen(
      events.firing(1, mailing.now),
      events.resolved(1, mailing.now, { alert: { toldAs } }),
    );
    await mailing.own.passing("both", () => receiver.received.length === 2);
    for (const { body } of receiver.received) {
      expect(body).not.toContain("@");
      expect(JSON.parse(body).data.alert.ruleName).toBe("rule 1");
    }
  });
});

import { describe, expect, it } from "vitest";
import { AlertId, MailId, RuleId } from "../../../schemas/common.ts";
import { Email } from "../../../schemas/email.ts";
import type { FollowedAlert, MailBox } from "../../../src/domain/alert-mails/box.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { fixedUlid, MINE, OTHERS } from "./examples.ts";

const JANE = Email.parse("jane@example.org");
const OMAR = Email.parse("omar@example.org");
const ruleOf = (n: number): RuleId => RuleId.parse(`rul_${fixedUlid(n)}`);
const mailOf = (n: number): MailId => MailId.parse(`eml_${fixedUlid(n)}`);

export const aBox = (fields: Partial<MailBox> = {}): MailBox => ({
  accountId: MINE,
  recipient: JANE,
  dueAt: 1_000,
  toldAt: 0,
  followed: 1,
  beyond: [{ ruleId: ruleOf(1), ruleName: "weak “ü”", fired: 3, resolved: 4 }],
  ...fields,
});
/** The nth alert, of rule 1 if n is odd, else of rule 0. */
export const aFollowed = (n: number, fields: Partial<FollowedAlert> = {}): FollowedAlert => ({
  alertId: AlertId.parse(`alr_${fixedUlid(n)}`),
  ruleId: ruleOf(n % 2),
  ruleName: `rule ${n % 2}`,
  signalName: `signal ${n} \u0007 ✓`,
  state: "firing",
  severity: "critical",
  value: -84.5,
  limit: -75,
  firedAt: "2026-01-01T00:00:00.000Z",
  resolvedAt: null,
  sequence: n,
  news: 1,
  mailId: null,
  ...fields,
});

export const alertMailsSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await (await newDatabase()).open(options)).alertMails;

  describe("e-mails of alerts", () => {
    it("wait in boxes, which are found as they were saved, with the alerts that are asked for", async () => {
      const alertMails = await opened();
      const [omar, other] = [aBox({ recipient: OMAR, beyond: [] }), aBox({ accountId: OTHERS })];
      await alertMails.save([
        { box: aBox(), alerts: [aFollowed(1), aFollowed(2)] },
        { box: omar, alerts: [aFollowed(1)] },
        { box: other, alerts: [aFollowed(1)] },
      ]);
      const ids = [aFollowed(2).alertId, aFollowed(3).alertId];
      expect(await alertMails.load(MINE, [JANE, OMAR], ids)).toEqual([
        { box: aBox(), alerts: [aFollowed(2)] },
        { box: omar, alerts: [] },
      ]);
      const later = aBox({ dueAt: null, toldAt: 7, followed: 2, beyond: [] });
      const ended = aFollowed(2, {
        state: "resolved",
        resolvedAt: "2026-01-02T00:00:00.000Z",
        value: null,
        sequence: 9,
        news: 2,
        mailId: mailOf(1),
      });
      await alertMails.save([{ box: later, alerts: [ended] }]);
      expect(await alertMails.load(MINE, [JANE], ids)).toEqual([{ box: later, alerts: [ended] }]);
      expect(await alertMails.load(OTHERS, [JANE], [])).toEqual([{ box: other, alerts: [] }]);
    });

    it("are due by their time, and whoever was told longest ago comes first", async () => {
      const alertMails = await opened();
      const boxes = [
        aBox({ toldAt: 3, dueAt: 100 }),
        aBox({ recipient: OMAR, toldAt: 2, dueAt: 200 }),
        aBox({ accountId: OTHERS, toldAt: 1, dueAt: null }),
      ];
      await alertMails.save(boxes.map((box) => ({ box, alerts: [] })));
      expect(await alertMails.due(99, 9)).toEqual([]);
      expect(await alertMails.due(199, 9)).toEqual([boxes[0]]);
      expect(await alertMails.due(200, 9)).toEqual([boxes[1], boxes[0]]);
      expect(await alertMails.due(200, 1)).toEqual([boxes[1]]);
    });

    it("tell what is new by rule, those that fire first, and follow what has resolved no more", async () => {
      const alertMails = await opened();
      const resolved = aFollowed(3, { state: "resolved", news: 2, mailId: mailOf(7) });
      const old = aFollowed(5, { news: 0, mailId: mailOf(9) });
      const again = aFollowed(1, { mailId: mailOf(8) });
      const all = [resolved, aFollowed(2), again, old];
      await alertMails.save([
        { box: aBox(), alerts: all },
        { box: aBox({ recipient: OMAR }), alerts: [aFollowed(1)] },
      ]);
      expect(await alertMails.news(aBox())).toEqual([
        { ruleId: ruleOf(0), ruleName: "rule 0", firing: 1, resolved: 0, news: 1 },
        { ruleId: ruleOf(1), ruleName: "rule 1", firing: 1, resolved: 1, news: 3 },
      ]);
      expect(await alertMails.alerts(aBox(), null, 9)).toEqual([again, aFollowed(2), resolved]);
      expect(await alertMails.alerts(aBox(), ruleOf(1), 9)).toEqual([again, resolved]);
      expect(await alertMails.alerts(aBox(), null, 1)).toEqual([again]);
      const mild = { ...again, severity: "info" } as const;
      await alertMails.save([{ box: aBox(), alerts: [mild] }]);
      expect(await alertMails.alerts(aBox(), null, 9)).toEqual([aFollowed(2), mild, resolved]);
      expect(await alertMails.toldIn(aBox(), ruleOf(1), 9)).toEqual([mailOf(7), mailOf(8)]);
      expect(await alertMails.toldIn(aBox(), null, 1)).toEqual([mailOf(8)]);
      expect(await alertMails.toldIn(aBox(), ruleOf(0), 9)).toEqual([]);
      await alertMails.told(aBox(), ruleOf(1), mailOf(10));
      expect((await alertMails.news(aBox())).map(({ ruleId }) => ruleId)).toEqual([ruleOf(0)]);
      await alertMails.told(aBox(), null, mailOf(11));
      const ids = all.map(({ alertId }) => alertId);
      const [box] = await alertMails.load(MINE, [JANE], ids);
      const found = (box?.alerts ?? []).map(({ alertId, news, mailId }) => [alertId, news, mailId]);
      expect(found.toSorted()).toEqual([
        [again.alertId, 0, mailOf(8)],
        [aFollowed(2).alertId, 0, mailOf(11)],
        [old.alertId, 0, mailOf(9)],
      ]);
      expect((await alertMails.news(aBox({ recipient: OMAR }))).length).toBe(1);
    });

    it("forget a rule's alerts, or all, of one address", async () => {
      const alertMails = await opened();
      const alerts = [aFollowed(1), aFollowed(2), aFollowed(3, { news: 0 })];
      const omar = aBox({ recipient: OMAR });
      await alertMails.save([aBox(), omar].map((box) => ({ box, alerts })));
      const ids = alerts.map(({ alertId }) => alertId);
      const followed = async (recipient: Email) =>
        (await alertMails.load(MINE, [recipient], ids)).flatMap((one) =>
          one.alerts.map(({ sequence }) => sequence),
        );
      await alertMails.forget(aBox(), ruleOf(1));
      expect(await followed(JANE)).toEqual([2]);
      await alertMails.forget(aBox(), null);
      expect([await followed(JANE), (await followed(OMAR)).toSorted()]).toEqual([[], [1, 2, 3]]);
    });

    it("remember what was spent, by its name", async () => {
      const alertMails = await opened();
      await alertMails.spend(
        new Map([
          ["a", 1],
          ["b", 2],
        ]),
      );
      await alertMails.spend(new Map([["b", 1_767_225_600_000]]));
      expect(await alertMails.spent(["a", "b", "c"])).toEqual(
        new Map([
          ["a", 1],
          ["b", 1_767_225_600_000],
        ]),
      );
    });

    it("are stopped and begun again by their reader, for each account by itself, however often", async () => {
      const alertMails = await opened();
      const stops = () => alertMails.stops(MINE, [JANE, OMAR]);
      expect(await stops()).toEqual(new Map());
      const stopped = [];
      for (const scope of [ruleOf(1), ruleOf(1), "all"] as const)
        stopped.push(await alertMails.stop(aBox(), scope));
      expect(stopped).toEqual([true, false, true]);
      await alertMails.stop(aBox({ accountId: OTHERS }), ruleOf(2));
      expect(await stops()).toEqual(new Map([[JANE, new Set([ruleOf(1), "all"])]]));
      expect(await alertMails.resume(aBox(), "all")).toBe(true);
      expect(await alertMails.resume(aBox(), "all")).toBe(false);
      expect(await stops()).toEqual(new Map([[JANE, new Set([ruleOf(1)])]]));
      expect(await alertMails.stops(OTHERS, [JANE])).toEqual(new Map([[JANE, new Set([ruleOf(2)])]]));
    });

    it("forget what is old and told, a little at a time, and nothing that waits", async () => {
      const clock = new ManualClock(500);
      const alertMails = await opened({ clock });
      const told = [aFollowed(1, { news: 0 }), aFollowed(2, { news: 0 })];
      const waiting = aFollowed(3);
      await alertMails.save([
        { box: aBox(), alerts: [...told, waiting] },
        { box: aBox({ recipient: OMAR, dueAt: null, toldAt: 400 }), alerts: [] },
      ]);
      await alertMails.spend(
        new Map([
          ["a", 400],
          ["b", 600],
        ]),
      );
      expect(await alertMails.prune(400, 9)).toBe(0);
      expect(await alertMails.prune(501, 1)).toBe(3);
      expect(await alertMails.prune(501, 9)).toBe(1);
      const ids = [...told, waiting].map(({ alertId }) => alertId);
      expect(await alertMails.load(MINE, [JANE, OMAR], ids)).toEqual([{ box: aBox(), alerts: [waiting] }]);
      expect([...(await alertMails.spent(["a", "b"])).keys()]).toEqual(["b"]);
    });
  });
};

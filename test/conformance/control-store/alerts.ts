import { describe, expect, it } from "vitest";
import { Alert } from "../../../schemas/alert.ts";
import { AlertId, RuleId, SignalId, SilenceId } from "../../../schemas/common.ts";
import type { ToldAlert } from "../../../src/domain/told-alert.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { fixedUlid, MINE, OTHERS, succeeded } from "./examples.ts";

const AT_MS = Date.UTC(2026, 0, 1);
const instant = (ms: number) => new Date(ms).toISOString();
const ACKNOWLEDGED = { at: instant(AT_MS), by: "key_1", note: "on it" };
const NOT_FOUND = { ok: false, reason: "not_found" };

/** The nth alert, which began to fire n seconds into the year. */
export const toldOf = (n: number, fields: Partial<ToldAlert["alert"]> = {}, sequence = 1): ToldAlert => ({
  accountId: MINE,
  sequence,
  alert: Alert.parse({
    id: AlertId.parse(`alr_${fixedUlid(n)}`),
    ruleId: RuleId.parse(`rul_${fixedUlid(n % 2)}`),
    ruleName: "weak",
    signalId: SignalId.parse(`sig_${fixedUlid(n % 3)}`),
    severity: "warning",
    state: "firing",
    pendingSince: null,
    firedAt: instant(AT_MS + n * 1000),
    resolvedAt: null,
    resolveReason: null,
    value: -80.5,
    limit: -75,
    acknowledged: null,
    silencedBy: null,
    heldBy: null,
    ...fields,
  }),
});
const ended = (n: number, atMs: number, sequence = 2): ToldAlert =>
  toldOf(n, { state: "resolved", resolvedAt: instant(atMs), resolveReason: "recovered" }, sequence);
const idOf = ({ alert }: ToldAlert) => alert.id;

export const alertsSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);
  const list = { accountId: MINE, limit: 10 };

  describe("alerts", () => {
    it("are what the newest event says, whatever order events come in and however often", async () => {
      const { alerts } = await opened();
      const [firing, resolved] = [toldOf(1), ended(1, AT_MS + 9_000, 4)];
      const harder = toldOf(
        1,
        { severity: "critical", silencedBy: SilenceId.parse(`sil_${fixedUlid(9)}`) },
        3,
      );
      await alerts.project([firing]);
      expect(await alerts.get(MINE, idOf(firing))).toEqual(firing);
      await alerts.project([harder, firing]);
      await alerts.project([firing]);
      expect(await alerts.get(MINE, idOf(firing))).toEqual(harder);
      await alerts.project([resolved]);
      await alerts.project([harder]);
      expect(await alerts.get(MINE, idOf(firing))).toEqual(resolved);
      await alerts.project([]);
      expect(await alerts.list("firing", list)).toEqual([]);
    });

    it("are listed by their state, the newest first, in pages and by all that is asked for", async () => {
      const { alerts } = await opened();
      const firing = Array.from({ length: 6 }, (_, n) => toldOf(n));
      await alerts.project([...firing, ended(7, AT_MS + 9_000), { ...toldOf(8), accountId: OTHERS }]);
      const newest = firing.toReversed();
      expect(await alerts.list("firing", list)).toEqual(newest);
      expect(await alerts.list("resolved", list)).toEqual([ended(7, AT_MS + 9_000)]);
      const [, second] = newest;
      if (second === undefined) throw new Error("none");
      const page = await alerts.list("firing", { ...list, limit: 2, before: idOf(second) });
      expect(page).toEqual(newest.slice(2, 4));
      const found = async (filter: object) =>
        (await alerts.list("firing", { ...list, ...filter })).map(({ alert }) =>
          Date.parse(alert.firedAt ?? ""),
        );
      const at = (...seconds: number[]) => seconds.map((second) => AT_MS + second * 1000);
      expect(await found({ ruleIds: [firing[1]?.alert.ruleId] })).toEqual(at(5, 3, 1));
      expect(await found({ signalIds: [firing[1]?.alert.signalId] })).toEqual(at(4, 1));
      expect(await found({ severities: ["critical", "info"] })).toEqual([]);
      expect(await found({ fromMs: AT_MS + 2_000, toMs: AT_MS + 4_000 })).toEqual(at(3, 2));
    });

    it("that fire again under their old id fired when they did so last", async () => {
      const { alerts } = await opened();
      const again = toldOf(1, { firedAt: instant(AT_MS + 60_000) }, 3);
      await alerts.project([toldOf(1), ended(1, AT_MS + 9_000)]);
      await alerts.project([again]);
      expect(await alerts.list("resolved", list)).toEqual([]);
      expect(await alerts.list("firing", { ...list, fromMs: AT_MS + 60_000 })).toEqual([again]);
      expect(await alerts.list("firing", { ...list, toMs: AT_MS + 60_000 })).toEqual([]);
      expect(await alerts.known(MINE, [idOf(again), idOf(toldOf(2))])).toEqual([again]);
      expect(await alerts.known(OTHERS, [idOf(again)])).toEqual([]);
      expect(await alerts.known(MINE, [])).toEqual([]);
    });

    it("are out of sight and out of reach for another account", async () => {
      const { alerts } = await opened();
      await alerts.project([toldOf(1)]);
      expect(await alerts.get(OTHERS, idOf(toldOf(1)))).toBeNull();
      const who = { by: "key_2", note: null };
      expect(await alerts.acknowledge(OTHERS, idOf(toldOf(1)), who)).toEqual(NOT_FOUND);
    });

    it("are taken on once, by the first, and the log is told so", async () => {
      const { alerts, outbox } = await opened({ clock: new ManualClock() });
      const { alert } = toldOf(1);
      await alerts.project([toldOf(1)]);
      const first = await alerts.acknowledge(MINE, alert.id, { by: "key_1", note: "on it" });
      expect(succeeded(first).alert).toEqual({ ...alert, acknowledged: ACKNOWLEDGED });
      const rows = await outbox.read(0, 10);
      expect(rows).toEqual([
        {
          position: first.ok ? first.outbox : 0,
          entry: {
            topic: "readings",
            change: {
              type: "acknowledged",
              accountId: MINE,
              signalId: alert.signalId,
              alertId: alert.id,
              at: AT_MS,
              by: "key_1",
              note: "on it",
            },
          },
        },
      ]);
      const again = await alerts.acknowledge(MINE, alert.id, { by: "key_2", note: "me too" });
      expect(again).toEqual({ ...first, outbox: 0 });
      expect(await outbox.read(0, 10)).toHaveLength(1);
      expect(
        await alerts.acknowledge(MINE, AlertId.parse(`alr_${fixedUlid(9)}`), { by: "k", note: null }),
      ).toEqual(NOT_FOUND);
    });

    it("stay taken on when older events come in, and are not taken on once resolved", async () => {
      const { alerts } = await opened({ clock: new ManualClock() });
      await alerts.project([toldOf(1), ended(2, AT_MS)]);
      await alerts.acknowledge(MINE, idOf(toldOf(1)), { by: "key_1", note: "on it" });
      await alerts.project([toldOf(1, { severity: "critical" }, 2)]);
      expect((await alerts.get(MINE, idOf(toldOf(1))))?.alert).toMatchObject({
        severity: "critical",
        acknowledged: ACKNOWLEDGED,
      });
      const refused = await alerts.acknowledge(MINE, idOf(toldOf(2)), { by: "key_1", note: null });
      expect(refused).toMatchObject({ ok: false, reason: "conflict" });
      // Nobody takes on what is over, whoever had taken it on before.
      await alerts.project([ended(1, AT_MS, 3)]);
      const late = await alerts.acknowledge(MINE, idOf(toldOf(1)), { by: "key_2", note: null });
      expect(late).toMatchObject({ ok: false, reason: "conflict" });
      await alerts.project([toldOf(3, { acknowledged: ACKNOWLEDGED })]);
      expect((await alerts.get(MINE, idOf(toldOf(3))))?.alert.acknowledged).toEqual(ACKNOWLEDGED);
    });

    it("are forgotten some time after their end, never while they fire", async () => {
      const { alerts } = await opened();
      await alerts.project([toldOf(1), ended(2, AT_MS), ended(3, AT_MS + 1), ended(4, AT_MS + 2)]);
      expect([await alerts.prune(AT_MS + 2, 1), await alerts.prune(AT_MS + 2, 5)]).toEqual([1, 1]);
      expect(await alerts.prune(AT_MS + 2, 5)).toBe(0);
      expect(await alerts.get(MINE, idOf(toldOf(1)))).not.toBeNull();
      expect(await alerts.list("resolved", list)).toEqual([ended(4, AT_MS + 2)]);
    });
  });
};

import { describe, expect, it } from "vitest";
import { RuleId, SignalId } from "../../../schemas/common.ts";
import type { SilenceDefinition } from "../../../schemas/silence.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { toldOf } from "./alerts.ts";
import { aSignal, fixedUlid, MINE, OTHERS, succeeded } from "./examples.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(NOW_MS + seconds * 1000).toISOString();
const NOT_FOUND = { ok: false, reason: "not_found" };
const aSilence = (fields: Partial<SilenceDefinition> = {}): Omit<SilenceDefinition, "id"> => ({
  select: {},
  ruleIds: null,
  from: at(0),
  until: at(60),
  untilResolved: false,
  schedule: null,
  reason: "works",
  ...fields,
});

export const silencesSuite = (newDatabase: NewDatabase): void => {
  const opened = async () => {
    const clock = new ManualClock();
    return { clock, ...(await (await newDatabase()).open({ clock })) };
  };
  const create = async (
    { silences }: Pick<ControlStore, "silences">,
    fields: Partial<SilenceDefinition> = {},
  ) => succeeded(await silences.create(MINE, aSilence(fields), "key_1"));

  describe("silences", () => {
    it("give back what was created and what became of it, and tell the log of it", async () => {
      const { silences, outbox, clock } = await opened();
      const created = await create({ silences });
      const { id } = created.definition;
      const whole = { revision: 1, createdBy: "key_1", createdAt: NOW_MS, updatedAt: NOW_MS };
      expect(created).toEqual({ accountId: MINE, definition: { id, ...aSilence() }, ...whole });
      expect(await silences.get(MINE, id)).toEqual(created);
      clock.advance(1000);
      expect(await silences.update(MINE, id, { until: at(60), reason: "works" })).toMatchObject({
        outbox: 0,
      });
      const updated = succeeded(await silences.update(MINE, id, { until: "2026-01-01T01:02:00+01:00" }));
      expect(updated).toMatchObject({
        revision: 2,
        updatedAt: NOW_MS + 1000,
        definition: { until: at(120) },
      });
      expect(await silences.get(MINE, id)).toEqual(updated);
      expect(await silences.update(MINE, id, { reason: "x" }, [1])).toMatchObject({
        reason: "precondition_failed",
      });
      const removed = await silences.remove(MINE, id);
      const rows = await outbox.read(0, 10);
      expect(rows.map(({ entry }) => (entry.topic === "readings" ? entry.change : null))).toEqual([
        { type: "silence", accountId: MINE, revision: 1, silence: created.definition },
        { type: "silence", accountId: MINE, revision: 2, silence: updated.definition },
        { type: "silenceDeleted", accountId: MINE, revision: 3, silenceId: id },
      ]);
      expect(removed).toEqual({ ok: true, value: null, outbox: rows.at(-1)?.position });
      expect(await silences.get(MINE, id)).toBeNull();
    });

    it("are refused when a patch leaves them without sense", async () => {
      const { silences } = await opened();
      const { id } = (await create({ silences })).definition;
      const refused = async (patch: object) => {
        const changed = await silences.update(MINE, id, patch);
        return changed.ok || changed.reason !== "invalid" ? changed : changed.path;
      };
      expect(await refused({ until: at(0) })).toBe("until");
      expect(await refused({ until: null })).toBe("until");
      expect(await refused({ untilResolved: true, until: null })).toBe("untilResolved");
      expect(await refused({ from: at(60) })).toBe("until");
      const last = (await create({ silences }, { until: null, untilResolved: true })).definition;
      expect(await silences.update(MINE, last.id, { until: at(60) })).toMatchObject({ path: "until" });
    });

    it("are out of sight and out of reach for another account", async () => {
      const { silences } = await opened();
      const { id } = (await create({ silences })).definition;
      expect(await silences.get(OTHERS, id)).toBeNull();
      expect((await silences.list(OTHERS, { limit: 10 })).items).toEqual([]);
      expect(await silences.update(OTHERS, id, { reason: "mine" })).toEqual(NOT_FOUND);
      expect(await silences.remove(OTHERS, id)).toEqual(NOT_FOUND);
    });

    it("are listed in pages, and every account's at once", async () => {
      const { silences } = await opened();
      for (let i = 0; i < 3; i++) await create({ silences });
      const others = succeeded(await silences.create(OTHERS, aSilence(), "key_2"));
      const first = await silences.list(MINE, { limit: 2 });
      const second = await silences.list(MINE, { limit: 2, cursor: first.next ?? "" });
      expect([first.items.length, second.items.length, second.next]).toEqual([2, 1, null]);
      const byId = (a: typeof others, b: typeof others) => (a.definition.id < b.definition.id ? -1 : 1);
      expect(await silences.all()).toEqual([...first.items, ...second.items, others].sort(byId));
    });

    it("give way to new ones when they are over and there are too many", async () => {
      const { silences, outbox, clock } = await opened();
      for (let i = 0; i < 999; i++) await create({ silences }, { until: at(3600 + i) });
      const over = await create({ silences });
      const full = await silences.create(MINE, aSilence(), "key_1");
      expect(full).toMatchObject({
        ok: false,
        reason: "conflict",
        message: expect.stringMatching(/1000 silences.*delete/),
      });
      expect(succeeded(await silences.create(OTHERS, aSilence(), "key_2")).revision).toBe(1);
      clock.advance(60_000);
      const written = (await outbox.read(0, 5_000)).length;
      const { definition } = await create({ silences }, { until: at(7200) });
      expect(await silences.get(MINE, over.definition.id)).toBeNull();
      expect((await outbox.read(written, 10)).map(({ entry }) => entry)).toMatchObject([
        { change: { type: "silenceDeleted", silenceId: over.definition.id, revision: 2 } },
        { change: { type: "silence", silence: { id: definition.id } } },
      ]);
    });

    it("give way as well when they held what has resolved, oldest first, while others stay", async () => {
      const store = await opened();
      const { signals, silences, alerts, outbox } = store;
      const { id } = succeeded(await signals.create(MINE, aSignal({}))).definition;
      const signalId = SignalId.parse(id);
      await alerts.project([toldOf(0, { signalId })]);
      const last = { until: null, untilResolved: true };
      const holds = await create(store, { ...last, select: { signalIds: [signalId] } });
      const schedule = { timeZone: "UTC", windows: [{ from: "08:00", to: "09:00" }] };
      const recurring = await create(store, { until: null, schedule });
      const nobody = { ...last, select: { signalIds: [SignalId.parse(`sig_${fixedUlid(9)}`)] } };
      const oldest = await create(store, nobody);
      store.clock.advance(1);
      for (let i = 3; i < 1000; i++) await create(store, nobody);
      const written = (await outbox.read(0, 5_000)).length;
      await create(store);
      const kept = async ({ definition }: { definition: SilenceDefinition }) =>
        (await silences.get(MINE, definition.id)) !== null;
      expect([await kept(holds), await kept(recurring), await kept(oldest)]).toEqual([true, true, false]);
      expect((await outbox.read(written, 1)).map(({ entry }) => entry)).toMatchObject([
        { change: { type: "silenceDeleted", silenceId: oldest.definition.id, revision: 2 } },
      ]);
    });

    it("last, where they are to, until what fired when they came has resolved", async () => {
      const store = await opened();
      const signal = succeeded(
        await store.signals.create(MINE, aSignal({ labels: { site: "a" } })),
      ).definition;
      const firing = toldOf(0, { signalId: SignalId.parse(signal.id) });
      await store.alerts.project([firing]);
      const last = { until: null, untilResolved: true };
      const silences = [
        await create(store, last),
        await create(store, { ...last, select: { labels: { site: "a" } }, ruleIds: [firing.alert.ruleId] }),
        await create(store, { ...last, select: { labels: { site: "b" } } }),
        await create(store, { ...last, select: { signalIds: [SignalId.parse(`sig_${fixedUlid(9)}`)] } }),
        await create(store, { ...last, ruleIds: [RuleId.parse(`rul_${fixedUlid(7)}`)] }),
        await create(store),
      ];
      const held = async () => {
        const holding = await store.silences.holding(silences);
        return silences.map(({ definition }) => holding.has(definition.id));
      };
      expect(await held()).toEqual([true, true, false, false, false, false]);
      const end = { state: "resolved", resolvedAt: at(5), resolveReason: "recovered" } as const;
      await store.alerts.project([{ ...toldOf(0, { signalId: signal.id, ...end }), sequence: 2 }]);
      await store.alerts.project([toldOf(5, { signalId: signal.id })]);
      expect(await held()).toEqual([false, false, false, false, false, false]);
    });
  });
};

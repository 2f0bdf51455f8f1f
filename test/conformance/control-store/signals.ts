import { describe, expect, it } from "vitest";
import { SignalDefinition } from "../../../schemas/change.ts";
import { SignalId } from "../../../schemas/common.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aSignal, fixedUlid, MINE, OTHERS, succeeded } from "./examples.ts";

const UNKNOWN = SignalId.parse(`sig_${fixedUlid(9)}`);

export const signalsSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);

  describe("signals", () => {
    it("gives back what was created, at revision 1, active and without a source", async () => {
      const clock = new ManualClock();
      const { signals } = await opened({ clock });
      const input = aSignal({ externalId: "AA:BB", labels: { site: "north" }, noDataAfterSeconds: null });
      const created = succeeded(await signals.create(MINE, input));
      expect(SignalDefinition.parse(created.definition)).toEqual({
        ...input,
        id: created.definition.id,
        accountId: MINE,
        revision: 1,
        paused: false,
        sourceId: null,
        createdAt: clock.now(),
        updatedAt: clock.now(),
      });
      expect(created).toMatchObject({ status: "active", reasons: [], sequence: 0 });
      expect(await signals.get(MINE, created.definition.id)).toEqual(created);
    });

    it("keeps fractions, extremes and every script in names and labels", async () => {
      const { signals } = await opened();
      const input = aSignal({
        name: "Δίκτυο 📡 %_\\'\"",
        labels: { note: "line\nbreak\ttab" },
        threshold: 0.123456789012345,
        floorDbm: -199.9999,
        ceilingDbm: 50,
      });
      const { definition } = succeeded(await signals.create(MINE, input));
      expect((await signals.get(MINE, definition.id))?.definition).toMatchObject(input);
    });

    it("keeps another account's signal out of sight and out of reach", async () => {
      const { signals } = await opened();
      const { id } = succeeded(await signals.create(MINE, aSignal())).definition;
      expect(await signals.get(OTHERS, id)).toBeNull();
      expect(await signals.existing(OTHERS, [id])).toEqual([]);
      expect(await signals.update(OTHERS, id, { name: "mine now" })).toEqual({
        ok: false,
        reason: "not_found",
      });
      expect(await signals.remove(OTHERS, id)).toEqual({ ok: false, reason: "not_found" });
      expect((await signals.get(MINE, id))?.definition.revision).toBe(1);
    });

    it("refuses an externalId that another signal of the account has, on creation and on update", async () => {
      const { signals, outbox } = await opened();
      const taken = { ok: false, reason: "conflict", path: "externalId" };
      succeeded(await signals.create(MINE, aSignal({ externalId: "a" })));
      succeeded(await signals.create(OTHERS, aSignal({ externalId: "a" })));
      expect(await signals.create(MINE, aSignal({ externalId: "a" }))).toMatchObject(taken);
      const second = succeeded(await signals.create(MINE, aSignal({ externalId: "b" })));
      expect(await signals.update(MINE, second.definition.id, { externalId: "a" })).toMatchObject(taken);
      expect(await outbox.read(0, 10)).toHaveLength(3);
    });

    it("lets any number of signals go without an externalId, and gives a freed one to another", async () => {
      const { signals } = await opened();
      const first = succeeded(await signals.create(MINE, aSignal({ externalId: "a" })));
      const second = succeeded(await signals.create(MINE, aSignal()));
      succeeded(await signals.create(MINE, aSignal()));
      succeeded(await signals.update(MINE, first.definition.id, { externalId: null }));
      const freed = succeeded(await signals.update(MINE, second.definition.id, { externalId: "a" }));
      expect(freed.definition.externalId).toBe("a");
    });

    it("counts revisions by one and moves updatedAt, field by field, leaving the others alone", async () => {
      const clock = new ManualClock();
      const { signals } = await opened({ clock });
      const { definition } = succeeded(await signals.create(MINE, aSignal({ labels: { site: "a" } })));
      clock.advance(1000);
      const named = succeeded(await signals.update(MINE, definition.id, { name: "mast" })).definition;
      expect(named).toEqual({ ...definition, name: "mast", revision: 2, updatedAt: clock.now() });
      const relabelled = succeeded(await signals.update(MINE, definition.id, { labels: { role: "b" } }));
      expect(relabelled.definition).toEqual({ ...named, labels: { role: "b" }, revision: 3 });
      expect((await signals.get(MINE, definition.id))?.definition).toEqual(relabelled.definition);
    });

    it("has nothing to wait for when a patch changes nothing", async () => {
      const { signals, outbox } = await opened();
      const { definition } = succeeded(await signals.create(MINE, aSignal({ labels: { a: "1", b: "2" } })));
      const before = await outbox.read(0, 10);
      const again = { name: definition.name, labels: { b: "2", a: "1" }, status: "active" as const };
      expect(await signals.update(MINE, definition.id, again)).toMatchObject({
        ok: true,
        outbox: 0,
        value: { definition },
      });
      expect(await outbox.read(0, 10)).toEqual(before);
    });

    it("checks the floor against the ceiling once patch and stored signal are merged", async () => {
      const { signals } = await opened();
      const { definition } = succeeded(await signals.create(MINE, aSignal({ floorDbm: -80 })));
      const refused = await signals.update(MINE, definition.id, { ceilingDbm: -90 });
      expect(refused).toMatchObject({ ok: false, reason: "invalid", path: "floorDbm" });
      const moved = await signals.update(MINE, definition.id, { ceilingDbm: -90, floorDbm: -120 });
      expect(succeeded(moved).definition).toMatchObject({ ceilingDbm: -90, floorDbm: -120, revision: 2 });
    });

    it("pauses and resumes by status", async () => {
      const { signals } = await opened();
      const { id } = succeeded(await signals.create(MINE, aSignal())).definition;
      const paused = succeeded(await signals.update(MINE, id, { status: "paused" }));
      expect([paused.status, paused.definition.paused]).toEqual(["paused", true]);
      const resumed = succeeded(await signals.update(MINE, id, { status: "active" }));
      expect([resumed.status, resumed.definition.paused]).toEqual(["active", false]);
    });

    it("loses no update when many come at once", async () => {
      const database = await newDatabase();
      const [one, two] = await database.openTwo();
      const { id } = succeeded(await one.signals.create(MINE, aSignal())).definition;
      const names = Array.from({ length: 40 }, (_, index) => `name ${index}`);
      const revisions = await Promise.all(
        names.map(async (name, index) => {
          const { signals } = index % 2 === 0 ? one : two;
          return succeeded(await signals.update(MINE, id, { name })).definition.revision;
        }),
      );
      expect(revisions.sort((a, b) => a - b)).toEqual(names.map((_, index) => index + 2));
    });

    it("refuses a text that no engine could keep as it is", async () => {
      const { signals } = await opened();
      for (const [field, value] of [
        ["name", "a\0b"],
        ["externalId", "\ud800"],
      ] as const) {
        const refused = await signals.create(MINE, aSignal({ [field]: value }));
        expect(refused).toMatchObject({ ok: false, reason: "invalid", path: field });
      }
    });

    it("forgets a deleted signal, and tells of it with a revision above its last", async () => {
      const { signals, outbox } = await opened();
      const { id } = succeeded(await signals.create(MINE, aSignal({ externalId: "a" }))).definition;
      succeeded(await signals.update(MINE, id, { name: "last" }));
      const removed = await signals.remove(MINE, id);
      const [, , row] = await outbox.read(0, 10);
      expect(row?.entry).toEqual({
        topic: "readings",
        change: { type: "signalDeleted", signalId: id, accountId: MINE, revision: 3 },
      });
      expect(removed).toEqual({ ok: true, value: null, outbox: row?.position });
      expect(await signals.get(MINE, id)).toBeNull();
      expect(await signals.remove(MINE, id)).toEqual({ ok: false, reason: "not_found" });
      expect((await signals.create(MINE, aSignal({ externalId: "a" }))).ok).toBe(true);
    });

    it("says not found for an id that never was", async () => {
      const { signals } = await opened();
      expect(await signals.get(MINE, UNKNOWN)).toBeNull();
      expect(await signals.update(MINE, UNKNOWN, { name: "x" })).toEqual({ ok: false, reason: "not_found" });
    });

    it("counts which values of one label or two the selected ones have, or lack", async () => {
      const { signals } = await opened();
      for (const labels of [{ low: "-95", high: "-40" }, { low: "-95", high: "-40" }, { low: "-90" }, {}])
        await signals.create(MINE, aSignal({ labels: { fleet: "a", ...labels } }));
      await signals.create(MINE, aSignal({ labels: { low: "-1" } }));
      await signals.create(OTHERS, aSignal({ labels: { fleet: "a", low: "-2" } }));
      const selection = { labels: { fleet: "a" } };
      const counted = async (...keys: [string, string?]) =>
        new Map(
          (await signals.labelValues(MINE, selection, keys)).map(({ labels, signals: count }) => [
            JSON.stringify(labels),
            count,
          ]),
        );
      expect(await counted("low")).toEqual(
        new Map([
          ['{"low":"-95"}', 2],
          ['{"low":"-90"}', 1],
          ["{}", 1],
        ]),
      );
      expect(await counted("low", "high")).toEqual(
        new Map([
          ['{"low":"-95","high":"-40"}', 2],
          ['{"low":"-90"}', 1],
          ["{}", 1],
        ]),
      );
      expect(await signals.labelValues(MINE, { labels: { fleet: "b" } }, ["low"])).toEqual([]);
      expect(await signals.labelValues(MINE, { labels: { fleet: "\u0000" } }, ["low"])).toEqual([]);
      expect(await signals.labelValues(MINE, {}, ["low"])).toHaveLength(4);
      expect(await signals.anySelected(MINE, selection)).toBe(true);
      expect(await signals.anySelected(MINE, { labels: { fleet: "b" } })).toBe(false);
    });

    it("walks every account's signals in order of id", async () => {
      const { signals } = await opened();
      const made = [];
      for (const account of [MINE, OTHERS, MINE, OTHERS, MINE]) {
        made.push(succeeded(await signals.create(account, aSignal())));
      }
      const first = await signals.all(null, 3);
      const rest = await signals.all(first.at(-1)?.definition.id ?? null, 3);
      const byId = made.sort((a, b) => (a.definition.id < b.definition.id ? -1 : 1));
      expect([...first, ...rest]).toEqual(byId);
      expect(await signals.all(byId.at(-1)?.definition.id ?? null, 3)).toEqual([]);
    });
  });
};

import { describe, expect, it } from "vitest";
import type { Reason } from "../../../schemas/signal.ts";
import type { ControlStore, SignalStateRow } from "../../../src/ports/control-store.ts";
import type { NewDatabase } from "../control-store.ts";
import { aSignal, DEFAULTS, MINE, SOURCE, succeeded } from "./examples.ts";

const REASON: Reason = { kind: "threshold", since: "2026-01-01T00:00:00.000Z", value: 0.1 };

const signalIn = async ({ signals }: ControlStore) =>
  succeeded(await signals.create(MINE, aSignal())).definition.id;

export const signalStatesSuite = (newDatabase: NewDatabase): void => {
  const opened = async () => (await newDatabase()).open();

  describe("projected states", () => {
    it("shows status, reasons and sequence of the newest event, whatever order they come in", async () => {
      const store = await opened();
      const signalId = await signalIn(store);
      const failed: SignalStateRow = { signalId, sequence: 7, status: "failed", reasons: [REASON] };
      const older: SignalStateRow = { signalId, sequence: 6, status: "active", reasons: [] };
      const shown = { status: "failed", reasons: [REASON], sequence: 7 };
      await store.signalStates.project([failed, older]);
      expect(await store.signals.get(MINE, signalId)).toMatchObject(shown);
      await store.signalStates.project([older]);
      await store.signalStates.project([{ ...failed, status: "active", reasons: [] }]);
      expect(await store.signals.get(MINE, signalId)).toMatchObject(shown);
      await store.signalStates.project([{ ...older, sequence: 8 }]);
      const recovered = { status: "active", reasons: [], sequence: 8 };
      expect(await store.signals.get(MINE, signalId)).toMatchObject(recovered);
    });

    it("changes neither revision nor outbox", async () => {
      const store = await opened();
      const signalId = await signalIn(store);
      const before = (await store.signals.get(MINE, signalId))?.definition;
      await store.signalStates.project([{ signalId, sequence: 1, status: "failed", reasons: [] }]);
      expect((await store.signals.get(MINE, signalId))?.definition).toEqual(before);
      expect(await store.outbox.read(0, 10)).toHaveLength(1);
    });

    it("lies hidden under a pause, and shows when that ends", async () => {
      const store = await opened();
      const signalId = await signalIn(store);
      await store.signals.update(MINE, signalId, { status: "paused" });
      await store.signalStates.project([{ signalId, sequence: 3, status: "failed", reasons: [REASON] }]);
      expect(await store.signals.get(MINE, signalId)).toMatchObject({ status: "paused", sequence: 3 });
      const resumed = succeeded(await store.signals.update(MINE, signalId, { status: "active" }));
      expect(resumed).toMatchObject({ status: "failed", reasons: [REASON], sequence: 3 });
      expect(await store.signals.get(MINE, signalId)).toEqual(resumed);
    });

    it("takes thousands of signals in one call, and nothing at all", async () => {
      const store = await opened();
      const externalIds = Array.from({ length: 3000 }, (_, index) => `n${index}`);
      const request = { accountId: MINE, sourceId: SOURCE, externalIds, create: true, defaults: DEFAULTS };
      const made = await store.signals.resolve(request);
      const rows = made.map(({ definition }, index) => ({
        signalId: definition.id,
        sequence: 2,
        status: index % 2 === 0 ? ("failed" as const) : ("active" as const),
        reasons: [],
      }));
      await store.signalStates.project(rows);
      await store.signalStates.project([]);
      const page = await store.signals.list(MINE, { limit: 2000, sort: "name", status: "failed" });
      expect(page.items).toHaveLength(1500);
      expect(page.items.every(({ sequence }) => sequence === 2)).toBe(true);
    });

    it("is gone with its signal, and does not come back by an event repeated late", async () => {
      const store = await opened();
      const [gone, kept] = [await signalIn(store), await signalIn(store)];
      const failed = (signalId: typeof gone) =>
        ({ signalId, sequence: 2, status: "failed", reasons: [] }) as const;
      await store.signalStates.project([failed(gone), failed(kept)]);
      await store.signals.remove(MINE, gone);
      await store.signalStates.project([
        failed(gone),
        { signalId: gone, sequence: 3, status: "deleted", reasons: [] },
      ]);
      await store.signalStates.project([failed(gone)]);
      expect(await store.signals.get(MINE, gone)).toBeNull();
      expect(await store.signals.get(MINE, kept)).toMatchObject({ status: "failed", sequence: 2 });
    });
  });
};

import { describe, expect, it } from "vitest";
import { SourceId } from "../../../schemas/common.ts";
import type { Rejection } from "../../../schemas/source.ts";
import type { SourceStatus } from "../../../src/ports/control-store.ts";
import type { NewDatabase } from "../control-store.ts";
import { aSimulator, fixedUlid, MINE, succeeded } from "./examples.ts";

const ZEROS = { messages: 0, readings: 0, skipped: 0, rejected: 0, reconnects: 0 };
const STATUS: SourceStatus = {
  state: "connected",
  stateReason: "all is well",
  lastMessageAt: 1_767_225_600_123,
  counters: { messages: 2 ** 40, readings: 5, skipped: 1, rejected: 2, reconnects: 3 },
};
const rejection = (index: number): Rejection => ({
  at: "2026-01-01T00:00:00.000Z",
  reason: "not_json",
  detail: `number ${index}`,
  payload: "\0 binary \ud800",
});
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);

export const sourceStatusSuite = (newDatabase: NewDatabase): void => {
  const opened = async () => (await newDatabase()).open();

  describe("what ingest tells of a source", () => {
    it("is connecting, or disabled, with zero counts until it tells anything", async () => {
      const { sources } = await opened();
      const on = succeeded(await sources.create(MINE, aSimulator()));
      const off = succeeded(await sources.create(MINE, aSimulator({ enabled: false })));
      const untold = { stateReason: null, lastMessageAt: null, counters: ZEROS };
      expect((await sources.get(MINE, on.id))?.status).toEqual({ state: "connecting", ...untold });
      expect((await sources.get(MINE, off.id))?.status).toEqual({ state: "disabled", ...untold });
      expect(await sources.status(on.id)).toBeNull();
    });

    it("gives back the status last saved, and changes nothing else", async () => {
      const { sources, outbox } = await opened();
      const source = succeeded(await sources.create(MINE, aSimulator()));
      expect(await sources.claim(source.id)).toEqual({ generation: 1, status: null });
      expect(await sources.saveStatus(source.id, { ...STATUS, state: "waiting" }, 1)).toBe(true);
      expect(await sources.saveStatus(source.id, STATUS, 1)).toBe(true);
      expect(await sources.status(source.id)).toEqual(STATUS);
      expect(await sources.get(MINE, source.id)).toEqual({ source, status: STATUS });
      expect((await sources.list(MINE, { limit: 10 })).items).toEqual([{ source, status: STATUS }]);
      expect(await outbox.read(0, 10)).toHaveLength(1);
    });

    it("keeps nothing that is said by who ran a source before another did", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      expect(await sources.saveStatus(id, STATUS, 1)).toBe(false);
      const first = (await sources.claim(id))?.generation ?? 0;
      await sources.saveStatus(id, STATUS, first);
      await sources.savePosition(id, "a", first);
      const second = await sources.claim(id);
      expect(second).toEqual({ generation: first + 1, status: STATUS });
      expect(await sources.saveStatus(id, { ...STATUS, state: "waiting" }, first)).toBe(false);
      expect(await sources.savePosition(id, "old", first)).toBe(false);
      expect(await sources.status(id)).toEqual(STATUS);
      expect(await sources.position(id)).toBe("a");
    });

    it("is claimed by one after the other, however many ask at once", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      const claims = await Promise.all(numbers(0, 8).map(() => sources.claim(id)));
      expect(claims.map((claimed) => claimed?.generation).sort()).toEqual(numbers(1, 8));
    });

    it("adds up what several processes counted of one source, under the newest state", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator({ type: "push" })));
      const { counters } = STATUS;
      await sources.addStatus(id, { ...STATUS, state: "paused" });
      await sources.addStatus(id, { ...STATUS, lastMessageAt: 7 });
      const none = { messages: 0, readings: 0, skipped: 0, rejected: 0, reconnects: 0 };
      await sources.addStatus(id, { ...STATUS, lastMessageAt: null, counters: none });
      const sum = { ...counters, messages: 2 ** 41, readings: 10, skipped: 2, rejected: 4, reconnects: 6 };
      expect(await sources.status(id)).toEqual({ ...STATUS, lastMessageAt: 7, counters: sum });
    });

    it("waits for its first message where it is pushed to, and is disabled as soon as it is switched off", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator({ type: "push" })));
      expect((await sources.get(MINE, id))?.status).toMatchObject({ state: "waiting" });
      await sources.addStatus(id, STATUS);
      succeeded(await sources.update(MINE, id, { enabled: false }));
      expect((await sources.get(MINE, id))?.status).toEqual({
        ...STATUS,
        state: "disabled",
        stateReason: null,
      });
    });

    it("keeps how far it is in its feed, until it is removed", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      expect(await sources.position(id)).toBeNull();
      await sources.claim(id);
      await sources.savePosition(id, "a", 1);
      await sources.savePosition(id, "b", 1);
      expect(await sources.position(id)).toBe("b");
      await sources.remove(MINE, id);
      expect(await sources.position(id)).toBeNull();
      await sources.savePosition(id, "c", 1);
      expect(await sources.position(id)).toBeNull();
    });

    it("gives kept rejections oldest first, and takes some away", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      await sources.addRejections(id, numbers(0, 5).map(rejection));
      const first = await sources.keptRejections(id, 0, 3);
      expect(first.map((kept) => kept.rejection)).toEqual(numbers(0, 3).map(rejection));
      await sources.removeRejections(
        id,
        first.slice(1).map(({ number }) => number),
      );
      const rest = await sources.keptRejections(id, first[0]?.number ?? 0, 10);
      expect(rest.map((kept) => kept.rejection)).toEqual(numbers(3, 2).map(rejection));
      expect((await sources.rejections(MINE, id, { limit: 10 }))?.items).toHaveLength(3);
    });

    it("is dropped for a source that is gone", async () => {
      const { sources } = await opened();
      const unknown = SourceId.parse(`src_${fixedUlid(9)}`);
      expect(await sources.claim(unknown)).toBeNull();
      expect(await sources.saveStatus(unknown, STATUS, 1)).toBe(true);
      await sources.addRejections(unknown, [rejection(1)]);
      expect(await sources.status(unknown)).toBeNull();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      await sources.claim(id);
      await sources.saveStatus(id, STATUS, 1);
      await sources.remove(MINE, id);
      expect(await sources.status(id)).toBeNull();
    });

    it("keeps the newest thousand rejections, newest first, in pages", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      const other = succeeded(await sources.create(MINE, aSimulator())).id;
      await sources.addRejections(other, [rejection(0)]);
      for (const from of [0, 600, 1200]) {
        await sources.addRejections(id, numbers(from, 600).map(rejection));
      }
      await sources.addRejections(id, []);
      const first = await sources.rejections(MINE, id, { limit: 700 });
      const second = await sources.rejections(MINE, id, { limit: 700, cursor: first?.next ?? "" });
      const all = [...(first?.items ?? []), ...(second?.items ?? [])];
      expect(all).toEqual(numbers(800, 1000).reverse().map(rejection));
      expect(second?.next).toBeNull();
      expect((await sources.rejections(MINE, other, { limit: 10 }))?.items).toEqual([rejection(0)]);
    });

    it("takes more than a thousand rejections at once", async () => {
      const { sources } = await opened();
      const { id } = succeeded(await sources.create(MINE, aSimulator()));
      await sources.addRejections(id, numbers(0, 2500).map(rejection));
      const kept = await sources.rejections(MINE, id, { limit: 2000 });
      expect(kept?.items).toEqual(numbers(1500, 1000).reverse().map(rejection));
    });
  });
};

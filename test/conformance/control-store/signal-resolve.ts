import { describe, expect, it } from "vitest";
import { SignalDefinition } from "../../../schemas/change.ts";
import type { ControlStore, Signals } from "../../../src/ports/control-store.ts";
import type { NewDatabase } from "../control-store.ts";
import { aSignal, DEFAULTS, MINE, OTHERS, SOURCE, succeeded } from "./examples.ts";

const request = (
  externalIds: readonly string[],
  fields: Partial<Parameters<Signals["resolve"]>[0]> = {},
) => ({ accountId: MINE, sourceId: SOURCE, externalIds, create: true, defaults: DEFAULTS, ...fields });

const changesOf = async ({ outbox }: ControlStore) =>
  (await outbox.read(0, 100_000)).map(({ entry }) =>
    entry.topic === "readings" && entry.change.type === "signal" ? entry.change.signal : null,
  );

export const signalResolveSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);

  describe("resolving senders' names", () => {
    it("makes what is missing with the defaults, and tells the log of it", async () => {
      const store = await opened();
      const defaults = { ...DEFAULTS, threshold: 0.7, labels: { site: "a" }, floorDbm: -120 };
      const [made] = await store.signals.resolve(request(["gw/1"], { defaults }));
      expect(made).toMatchObject({ externalId: "gw/1", created: true });
      expect(SignalDefinition.parse(made?.definition)).toMatchObject({
        ...defaults,
        name: "gw/1",
        externalId: "gw/1",
        sourceId: SOURCE,
        revision: 1,
        paused: false,
      });
      expect(await changesOf(store)).toEqual([made?.definition]);
      const listed = await store.signals.list(MINE, { limit: 10, sort: "name", labels: { site: "a" } });
      expect(listed.items.map(({ definition }) => definition)).toEqual([made?.definition]);
    });

    it("gives the same signal from then on, as it is defined by then", async () => {
      const store = await opened();
      const [made] = await store.signals.resolve(request(["a"]));
      const id = made?.definition.id ?? expect.fail();
      const updated = succeeded(await store.signals.update(MINE, id, { name: "renamed" })).definition;
      const again = await store.signals.resolve(request(["a"]));
      expect(again).toEqual([{ externalId: "a", definition: updated, created: false }]);
    });

    it("answers in the order asked, each name once, and keeps accounts apart", async () => {
      const { signals } = await opened();
      await signals.create(OTHERS, aSignal({ externalId: "b" }));
      const existing = succeeded(await signals.create(MINE, aSignal({ externalId: "c" }))).definition;
      const resolved = await signals.resolve(request(["c", "b", "a", "b"]));
      expect(resolved.map(({ externalId, created }) => [externalId, created])).toEqual([
        ["c", false],
        ["b", true],
        ["a", true],
      ]);
      expect(resolved[0]?.definition).toEqual(existing);
    });

    it("leaves out unknown names when it may not make them", async () => {
      const store = await opened();
      await store.signals.create(MINE, aSignal({ externalId: "known" }));
      const resolved = await store.signals.resolve(request(["known", "unknown"], { create: false }));
      expect(resolved.map(({ externalId }) => externalId)).toEqual(["known"]);
      expect(await store.signals.resolve(request([]))).toEqual([]);
    });

    it("leaves out names that can be no externalId", async () => {
      const { signals } = await opened();
      const names = ["", "  ", "x".repeat(201), "nul\0", "\udc00", "ok "];
      const resolved = await signals.resolve(request(names));
      expect(resolved.map(({ externalId, definition }) => [externalId, definition.name])).toEqual([
        ["ok ", "ok"],
      ]);
    });

    it("makes each name once when many ask for the same ones at once", async () => {
      const database = await newDatabase();
      const [one, two] = await database.openTwo();
      const names = Array.from({ length: 700 }, (_, index) => `n${index}`);
      const answers = await Promise.all(
        [one, two, one, two].map(({ signals }, index) =>
          signals.resolve(request(index % 2 === 0 ? names : names.toReversed())),
        ),
      );
      const ids = answers.map((answer) => new Map(answer.map((a) => [a.externalId, a.definition.id])));
      for (const other of ids)
        expect(new Map([...other].sort())).toEqual(new Map([...(ids[0] ?? [])].sort()));
      expect(answers.flat().filter(({ created }) => created)).toHaveLength(700);
      expect(await changesOf(one)).toHaveLength(700);
    });

    it("makes and finds ten thousand in one call, at a cost far below that of one by one", async () => {
      const { signals } = await opened();
      const names = Array.from({ length: 10_000 }, (_, index) => `device/${index}`);
      // CPU, not the clock's time: other tests run beside this one.
      const before = process.cpuUsage();
      expect(await signals.resolve(request(names))).toHaveLength(10_000);
      expect(await signals.resolve(request(names))).toHaveLength(10_000);
      const { user, system } = process.cpuUsage(before);
      expect((user + system) / 1000).toBeLessThan(3000);
    });

    it("stops at the account's limit of signals, and goes on when there is room again", async () => {
      const store = await opened({ maxSignals: 3 });
      const first = succeeded(await store.signals.create(MINE, aSignal()));
      const resolved = await store.signals.resolve(request(["a", "b", "c"]));
      expect(resolved.map(({ externalId }) => externalId)).toEqual(["a", "b"]);
      expect(await store.signals.create(MINE, aSignal())).toMatchObject({ ok: false, reason: "conflict" });
      expect(await store.signals.resolve(request(["x"], { accountId: OTHERS }))).toHaveLength(1);
      await store.signals.remove(MINE, first.definition.id);
      expect(await store.signals.resolve(request(["a", "c"]))).toHaveLength(2);
    });

    it("knows which of some ids exist in the account", async () => {
      const { signals } = await opened();
      const mine = succeeded(await signals.create(MINE, aSignal())).definition;
      const others = succeeded(await signals.create(OTHERS, aSignal())).definition;
      expect(await signals.existing(MINE, [mine.id, others.id, mine.id])).toEqual([mine]);
      expect(await signals.existing(MINE, [])).toEqual([]);
    });
  });
};

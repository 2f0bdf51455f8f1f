import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SignalId } from "../../../schemas/common.ts";
import { SignalCreate, SignalPatch } from "../../../schemas/signal.ts";
import type {
  Changed,
  ControlStore,
  SignalOperation,
  StoredSignal,
} from "../../../src/ports/control-store.ts";
import type { NewDatabase } from "../control-store.ts";
import { aSignal, MINE, OTHERS, succeeded } from "./examples.ts";

const EACH = { atomic: false };
const ALL = { atomic: true };
const create = (fields: object = {}): SignalOperation => ({ kind: "create", input: aSignal(fields) });

const SEEDS = ["x", "y", null, null, null].map((externalId, i) => create({ name: `s${i}`, externalId }));
const never = (): never => {
  throw new Error("a signal that was made");
};
const idOf = (result: Changed<StoredSignal | null>): SignalId => succeeded(result)?.definition.id ?? never();

/** What a user sees of an account's signals, whatever their ids. */
const contents = async ({ signals }: ControlStore) => {
  const { items } = await signals.list(MINE, { sort: "name", limit: 500 });
  return items
    .map(({ definition: { name, externalId, revision }, status }) =>
      [name, externalId, revision, status].join(" "),
    )
    .sort();
};

const inOneCall = async (store: ControlStore, operation: SignalOperation) => {
  if (operation.kind === "create") return store.signals.create(MINE, operation.input);
  if (operation.kind === "update") return store.signals.update(MINE, operation.id, operation.patch);
  return store.signals.remove(MINE, operation.id);
};

/** Names and externalIds out of few, so that operations meet. */
const someName = fc.constantFrom("a", "b", "c");
const someId = fc.option(fc.constantFrom("x", "y", "z"), { nil: null });
const someStep = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), name: someName, externalId: someId }),
  fc.record({
    kind: fc.constant("update" as const),
    which: fc.nat({ max: 4 }),
    name: someName,
    externalId: fc.option(someId, { nil: undefined }),
    status: fc.constantFrom("paused" as const, "active" as const, undefined),
  }),
  fc.record({ kind: fc.constant("remove" as const), which: fc.nat({ max: 4 }) }),
);
type Step = typeof someStep extends fc.Arbitrary<infer T> ? T : never;

const operationsOf = (steps: readonly Step[], ids: readonly SignalId[]): SignalOperation[] =>
  steps.flatMap((step): SignalOperation[] => {
    if (step.kind === "create") {
      const { name, externalId } = step;
      return [{ kind: "create", input: SignalCreate.parse({ name, externalId, threshold: 0.5 }) }];
    }
    const id = ids[step.which];
    if (id === undefined) return [];
    if (step.kind === "remove") return [{ kind: "remove", id }];
    const { name, externalId, status } = step;
    return [{ kind: "update", id, patch: SignalPatch.parse({ name, externalId, status }) }];
  });

export const signalBatchSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);
  const seeded = async () => {
    const store = await opened();
    const { results } = await store.signals.applyAll(MINE, SEEDS, ALL);
    return { store, ids: results.map(idOf) };
  };

  describe("changes of signals in a batch", () => {
    it("leave what the same calls one by one leave, and answer the same", async () => {
      const [batch, single] = [await seeded(), await seeded()];
      const reset = async ({ store, ids }: { store: ControlStore; ids: SignalId[] }) => {
        const { items } = await store.signals.list(MINE, { sort: "name", limit: 500 });
        const gone = items.map(({ definition }) => ({ kind: "remove" as const, id: definition.id }));
        const { results } = await store.signals.applyAll(MINE, [...gone, ...SEEDS], ALL);
        ids.splice(0, ids.length, ...results.slice(gone.length).map(idOf));
      };
      await fc.assert(
        fc.asyncProperty(fc.array(someStep, { maxLength: 8 }), async (steps) => {
          await reset(batch);
          await reset(single);
          const { results } = await batch.store.signals.applyAll(MINE, operationsOf(steps, batch.ids), EACH);
          const expected = [];
          for (const operation of operationsOf(steps, single.ids))
            expected.push(await inOneCall(single.store, operation));
          const outcome = (result: (typeof results)[number]) =>
            result.ok ? { name: result.value?.definition.name, changed: result.outbox > 0 } : result;
          expect(results.map(outcome)).toEqual(expected.map(outcome));
          expect(await contents(batch.store)).toEqual(await contents(single.store));
        }),
        { numRuns: 25 },
      );
    });

    it("that are atomic are all undone when one is refused", async () => {
      const { store, ids } = await seeded();
      const before = { signals: await contents(store), outbox: (await store.outbox.read(0, 500)).length };
      const [first = never(), second = never()] = ids;
      const batch = await store.signals.applyAll(
        MINE,
        [
          create({ name: "new" }),
          { kind: "update", id: first, patch: { name: "renamed" } },
          { kind: "remove", id: second },
          create({ externalId: "x" }),
        ],
        ALL,
      );
      expect(batch.applied).toBe(false);
      expect(batch.results.map(({ ok }) => ok)).toEqual([true, true, true, false]);
      expect(batch.results[3]).toMatchObject({ reason: "conflict", path: "externalId" });
      expect(await contents(store)).toEqual(before.signals);
      expect(await store.outbox.read(0, 500)).toHaveLength(before.outbox);
    });

    it("stand in the outbox in their order, each with its revision, and answer with the last position", async () => {
      const { store, ids } = await seeded();
      const [first = never()] = ids;
      const last = (await store.outbox.read(0, 500)).at(-1)?.position ?? 0;
      const { results } = await store.signals.applyAll(
        MINE,
        [
          { kind: "update", id: first, patch: { name: "one" } },
          { kind: "update", id: first, patch: { name: "two" } },
          { kind: "update", id: first, patch: { name: "two" } },
          { kind: "remove", id: first },
          create({ externalId: "x" }),
        ],
        EACH,
      );
      expect(results.map((result) => result.ok && result.outbox)).toEqual([
        last + 4,
        last + 4,
        0,
        last + 4,
        last + 4,
      ]);
      const rows = await store.outbox.read(last, 500);
      expect(rows.map(({ entry }) => entry.topic === "readings" && entry.change)).toMatchObject([
        { type: "signal", signal: { id: first, revision: 2, name: "one" } },
        { type: "signal", signal: { id: first, revision: 3, name: "two" } },
        { type: "signalDeleted", signalId: first, revision: 4 },
        { type: "signal", signal: { revision: 1, externalId: "x" } },
      ]);
    });

    it("do not reach another account's signals, nor take its externalIds away", async () => {
      const { store, ids } = await seeded();
      const [first = never()] = ids;
      const { results } = await store.signals.applyAll(
        OTHERS,
        [
          { kind: "update", id: first, patch: { name: "mine now" } },
          { kind: "remove", id: first },
          create({ externalId: "x" }),
        ],
        EACH,
      );
      expect(results.map(({ ok }) => ok)).toEqual([false, false, true]);
      expect((await store.signals.get(MINE, first))?.definition.name).toBe("s0");
    });

    it("keep the account's limit, counting what goes and what comes", async () => {
      const { signals } = await opened({ maxSignals: 3 });
      const { results } = await signals.applyAll(MINE, [create(), create(), create(), create()], EACH);
      expect(results.map(({ ok }) => ok)).toEqual([true, true, true, false]);
      const id = idOf(results[0] ?? never());
      const next = await signals.applyAll(MINE, [{ kind: "remove", id }, create(), create()], EACH);
      expect(next.results.map(({ ok }) => ok)).toEqual([true, true, false]);
    });

    it("show a projected state again when a pause ends", async () => {
      const { store, ids } = await seeded();
      const [id = never()] = ids;
      await store.signalStates.project([{ signalId: id, sequence: 4, status: "failed", reasons: [] }]);
      const { results } = await store.signals.applyAll(
        MINE,
        [
          { kind: "update", id, patch: { status: "paused" } },
          { kind: "update", id, patch: { status: "active" } },
        ],
        EACH,
      );
      expect(results.map((result) => succeeded(result))).toMatchObject([
        { status: "paused", sequence: 4 },
        { status: "failed", sequence: 4 },
      ]);
      expect(await store.signals.get(MINE, id)).toMatchObject({ status: "failed" });
    });

    it("made in two processes at once each take an externalId once", async () => {
      const [one, two] = await (await newDatabase()).openTwo();
      const operations = Array.from({ length: 50 }, (_, i) => create({ externalId: `name ${i}` }));
      const [a, b] = await Promise.all([
        one.signals.applyAll(MINE, operations, EACH),
        two.signals.applyAll(MINE, operations, EACH),
      ]);
      for (const [i, result] of a.results.entries()) expect(result.ok).not.toBe(b.results[i]?.ok);
      expect(await one.signals.named(MINE, ["name 0", "name 7", "nobody"])).toHaveLength(2);
    });

    it("are found by their names where they have no externalId, all of them", async () => {
      const { signals } = await opened();
      await signals.create(OTHERS, aSignal({ name: "Roof" }));
      await signals.create(MINE, aSignal({ name: "Roof", externalId: "roof-1" }));
      const operations = [create({ name: "Roof" }), create({ name: "Roof" }), create({ name: "Cellar" })];
      const made = (await signals.applyAll(MINE, operations, ALL)).results.map(idOf);
      const called = await signals.called(MINE, ["Roof", "Cellar", "roof-1", "\u0000"]);
      expect(called.map(({ id }) => id).sort()).toEqual([...made].sort());
    });

    it("leave each signal with the labels that the last of its changes gives it", async () => {
      const { signals } = await opened();
      const made = await signals.applyAll(MINE, Array(600).fill(create({ labels: { lot: "old" } })), ALL);
      const ids = made.results.map(idOf);
      const relabel = (id: SignalId, labels: Record<string, string>): SignalOperation => ({
        kind: "update",
        id,
        patch: SignalPatch.parse({ labels }),
      });
      const [first, second, third] = [ids[0] ?? never(), ids[1] ?? never(), ids[2] ?? never()];
      await signals.applyAll(
        MINE,
        [
          ...ids.map((id) => relabel(id, { lot: "new" })),
          relabel(first, { lot: "old" }),
          relabel(second, {}),
          { kind: "update", id: second, patch: SignalPatch.parse({ name: "bare" }) },
          { kind: "remove", id: third },
        ],
        ALL,
      );
      const labelled = async (lot: string) =>
        (await signals.list(MINE, { labels: { lot }, sort: "name", limit: 1_000 })).items.length;
      expect([await labelled("old"), await labelled("new")]).toEqual([1, 597]);
    });

    it("of more signals than one statement has are stored as they were answered, and found by it", async () => {
      const { signals } = await opened();
      const made = await signals.applyAll(MINE, Array(700).fill(create({ noDataAfterSeconds: 60 })), ALL);
      const patches = made.results.map((result, i): SignalOperation => {
        const patch = SignalPatch.parse({
          threshold: (i * 0.1) / 77,
          floorDbm: -100.1 - i / 9,
          ...(i % 2 === 0 ? { noDataAfterSeconds: null } : {}),
          ...(i % 3 === 0 ? { name: `Other ${i}` } : {}),
          ...(i % 5 === 0 ? { externalId: `e-${i}` } : {}),
          ...(i % 7 === 0 ? { status: "paused" } : {}),
        });
        return { kind: "update", id: idOf(result), patch };
      });
      const { results } = await signals.applyAll(MINE, patches, ALL);
      const answered = new Map(results.map((result) => [idOf(result), succeeded(result)]));
      const page = { sort: "name", limit: 1_000 } as const;
      const { items } = await signals.list(MINE, page);
      expect(new Map(items.map((stored) => [stored.definition.id, stored]))).toEqual(answered);
      const count = async (filter: object) => (await signals.list(MINE, { ...page, ...filter })).items.length;
      expect([
        await count({ q: "OTHER" }),
        await count({ q: "e-" }),
        await count({ status: "paused" }),
      ]).toEqual([234, 140, 100]);
    });

    it("of 1,200 are one batch of the outbox, whatever statements they take", async () => {
      const { signals, outbox } = await opened();
      const operations = Array.from({ length: 1_200 }, (_, i) => create({ labels: { n: String(i) } }));
      const { results } = await signals.applyAll(MINE, operations, ALL);
      expect(results.every((result) => result.ok && result.outbox === 1_200)).toBe(true);
      expect(await outbox.read(0, 2_000)).toHaveLength(1_200);
      expect(await signals.applyAll(MINE, [], ALL)).toEqual({ results: [], applied: true });
    });
  });
};

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SignalDefinition } from "../../../schemas/change.ts";
import { type AccountId, SourceId } from "../../../schemas/common.ts";
import { InvalidCursorError } from "../../../src/domain/cursor.ts";
import type { ControlStore, SignalList } from "../../../src/ports/control-store.ts";
import { ManualClock } from "../../support/clock.ts";
import type { NewDatabase } from "../control-store.ts";
import { aSignal, DEFAULTS, fixedUlid, MINE, OTHERS, SOURCE, succeeded } from "./examples.ts";

const FEW = SourceId.parse(`src_${fixedUlid(8)}`);
const NONE = SourceId.parse(`src_${fixedUlid(9)}`);

const add = async ({ signals }: ControlStore, name: string, fields: object = {}) =>
  succeeded(await signals.create(MINE, aSignal({ name, ...fields }))).definition;

const pageOf = async ({ signals }: ControlStore, query: Partial<SignalList> = {}) => {
  const page = await signals.list(MINE, { limit: 100, sort: "name", ...query });
  return { ...page, ids: page.items.map(({ definition }) => definition.id) };
};
const namesOf = async ({ signals }: ControlStore, query: Partial<SignalList>) => {
  const { items } = await signals.list(MINE, { limit: 100, sort: "name", ...query });
  return items.map(({ definition }) => definition.name);
};

/** The ids of every page in turn, `between` called after each page but the last. */
const walk = async (store: ControlStore, query: Partial<SignalList>, between?: () => Promise<unknown>) => {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { ids, next } = await pageOf(store, { ...query, cursor });
    seen.push(...ids);
    if (next === null) return seen;
    cursor = next;
    await between?.();
  }
};

type Key = (definition: SignalDefinition) => string | number;
const sortedIds = (made: readonly SignalDefinition[], key: Key) =>
  made
    .toSorted((a, b) => (key(a) < key(b) || (key(a) === key(b) && a.id < b.id) ? -1 : 1))
    .map(({ id }) => id);

export const signalListSuite = (newDatabase: NewDatabase): void => {
  const opened = async (options = {}) => (await newDatabase()).open(options);

  describe("lists of signals", () => {
    it("shows the account's own in each order, ties by id, in pages of any size", async () => {
      const clock = new ManualClock();
      const store = await opened({ clock });
      const made: SignalDefinition[] = [];
      for (const name of ["b", "a", "c", "a", "B", "a"]) {
        made.push(await add(store, name));
        if (made.length % 2 === 0) clock.advance(1);
      }
      succeeded(await store.signals.create(OTHERS, aSignal({ name: "aa" })));
      const byName = sortedIds(made, ({ name }) => name);
      const byCreation = sortedIds(made, ({ createdAt }) => createdAt);
      for (const limit of [1, 2, 6, 100]) {
        expect(await walk(store, { limit, sort: "name" })).toEqual(byName);
        expect(await walk(store, { limit, sort: "-name" })).toEqual(byName.toReversed());
        expect(await walk(store, { limit, sort: "createdAt" })).toEqual(byCreation);
        expect(await walk(store, { limit, sort: "-createdAt" })).toEqual(byCreation.toReversed());
      }
    });

    it("repeats and misses nothing while signals come in and go between its pages", async () => {
      const store = await opened();
      const kept: SignalDefinition[] = [];
      for (const name of ["a", "c", "e", "g", "i"]) kept.push(await add(store, name));
      let round = 0;
      const seen = await walk(store, { limit: 1, sort: "name" }, async () => {
        await add(store, "A");
        const late = await add(store, ["d", "f", "h", "j"][round++] ?? "k");
        await store.signals.remove(MINE, late.id);
      });
      expect(seen).toEqual(kept.map(({ id }) => id));
    });

    it("finds by a part of name or externalId, whatever the case, wildcards taken literally", async () => {
      const store = await opened();
      await add(store, "Übung", { externalId: "Dev-1" });
      await add(store, "100% sure", { externalId: "a_b" });
      await add(store, "axb\\c");
      expect(await namesOf(store, { q: "ÜBU" })).toEqual(["Übung"]);
      expect(await namesOf(store, { q: "dev-" })).toEqual(["Übung"]);
      expect(await namesOf(store, { q: "%" })).toEqual(["100% sure"]);
      expect(await namesOf(store, { q: "A_B" })).toEqual(["100% sure"]);
      expect(await namesOf(store, { q: "\\" })).toEqual(["axb\\c"]);
      expect(await namesOf(store, { q: "ungdev" })).toEqual([]);
      expect(await namesOf(store, { q: "\0" })).toEqual([]);
    });

    it("finds what a renamed or relabelled signal is called now", async () => {
      const store = await opened();
      const { id } = await add(store, "old", { labels: { site: "a" } });
      await store.signals.update(MINE, id, { name: "new", labels: { site: "b" } });
      expect(await namesOf(store, { q: "old" })).toEqual([]);
      expect(await namesOf(store, { q: "new", labels: { site: "b" } })).toEqual(["new"]);
      expect(await namesOf(store, { labels: { site: "a" } })).toEqual([]);
    });

    it("takes only signals that have every label asked for", async () => {
      const store = await opened();
      await add(store, "a", { labels: { site: "north", role: "x" } });
      await add(store, "b", { labels: { site: "north", role: "y" } });
      await add(store, "c", { labels: { site: "north.role", role: "x" } });
      succeeded(await store.signals.create(OTHERS, aSignal({ labels: { site: "north" } })));
      expect(await namesOf(store, { labels: { site: "north" } })).toEqual(["a", "b"]);
      expect(await namesOf(store, { labels: { site: "north", role: "x" } })).toEqual(["a"]);
      expect(await namesOf(store, { labels: { site: "south" } })).toEqual([]);
      expect(await namesOf(store, { labels: {} })).toEqual(["a", "b", "c"]);
    });

    it("goes through a label that most signals have in the list's order", async () => {
      const store = await opened();
      const names = Array.from({ length: 1100 }, (_, index) => `n${String(index).padStart(4, "0")}`);
      const request = { accountId: MINE, sourceId: SOURCE, externalIds: names, create: true };
      await store.signals.resolve({ ...request, defaults: { ...DEFAULTS, labels: { fleet: "all" } } });
      expect(await namesOf(store, { labels: { fleet: "all" }, limit: 3 })).toEqual(names.slice(0, 3));
      expect(await walk(store, { labels: { fleet: "all" }, limit: 500 })).toHaveLength(1100);
      expect(await namesOf(store, { labels: { fleet: "all" }, q: "N1099" })).toEqual(["n1099"]);
    });

    it("takes only signals of the status asked for, paused ones as paused", async () => {
      const store = await opened();
      const [a, b] = [await add(store, "a"), await add(store, "b")];
      await add(store, "c");
      await store.signalStates.project([
        { signalId: a.id, sequence: 2, status: "failed", reasons: [] },
        { signalId: b.id, sequence: 2, status: "failed", reasons: [] },
      ]);
      await store.signals.update(MINE, b.id, { status: "paused" });
      expect(await namesOf(store, { status: "failed" })).toEqual(["a"]);
      expect(await namesOf(store, { status: "paused" })).toEqual(["b"]);
      expect(await namesOf(store, { status: "active" })).toEqual(["c"]);
    });

    it("takes only signals of the ids asked for, which are the account's own, beside whatever else is asked", async () => {
      const store = await opened();
      const [a, b, c] = [await add(store, "a"), await add(store, "b"), await add(store, "c")];
      const theirs = succeeded(await store.signals.create(OTHERS, aSignal({ name: "a" }))).definition;
      const ids = [c.id, theirs.id, a.id];
      expect(await namesOf(store, { ids, sort: "name" })).toEqual(["a", "c"]);
      expect(await namesOf(store, { ids, sort: "-createdAt" })).toEqual(["c", "a"]);
      expect(await namesOf(store, { ids, q: "A" })).toEqual(["a"]);
      expect(await namesOf(store, { ids: [theirs.id] })).toEqual([]);
      expect(await walk(store, { ids: [a.id, b.id, c.id], limit: 2 })).toEqual([a.id, b.id, c.id]);
    });

    it("takes only signals that a source has made, few or many, in each order, beside whatever else is asked", async () => {
      const store = await opened();
      const made = async (sourceId: SourceId, accountId: AccountId, names: readonly string[]) => {
        const request = { accountId, sourceId, create: true, defaults: DEFAULTS };
        const found = await store.signals.resolve({ ...request, externalIds: names });
        return found.map(({ definition }) => definition);
      };
      await add(store, "m by hand");
      const few = await made(FEW, MINE, ["m1", "b2", "z3"]);
      const many = await made(
        SOURCE,
        MINE,
        Array.from({ length: 2_100 }, (_, n) => `n${(n * 11) % 2_100}`),
      );
      // Nothing keeps another account's signals from naming it.
      await made(FEW, OTHERS, ["theirs"]);
      for (const [sourceId, its] of [
        [FEW, few],
        [SOURCE, many],
      ] as const) {
        const limit = Math.ceil(its.length / 3);
        const byName = sortedIds(its, ({ name }) => name);
        const byCreation = sortedIds(its, ({ createdAt }) => createdAt);
        expect(await walk(store, { sourceId, limit, sort: "name" })).toEqual(byName);
        expect(await walk(store, { sourceId, limit, sort: "-name" })).toEqual(byName.toReversed());
        expect(await walk(store, { sourceId, limit, sort: "createdAt" })).toEqual(byCreation);
        expect(await walk(store, { sourceId, limit, sort: "-createdAt" })).toEqual(byCreation.toReversed());
      }
      expect(await namesOf(store, { sourceId: FEW, q: "M" })).toEqual(["m1"]);
      expect(await namesOf(store, { sourceId: SOURCE, q: "n209" })).toHaveLength(11);
      const [first] = few;
      if (first === undefined) throw new Error("none was made");
      await store.signals.update(MINE, first.id, { status: "paused", labels: { site: "a" } });
      expect(await namesOf(store, { sourceId: FEW, status: "paused" })).toEqual(["m1"]);
      expect(await namesOf(store, { sourceId: FEW, labels: { site: "a" } })).toEqual(["m1"]);
      expect(await namesOf(store, { sourceId: SOURCE, labels: { site: "a" } })).toEqual([]);
      expect(await namesOf(store, { sourceId: SOURCE, ids: [first.id] })).toEqual([]);
      expect(await namesOf(store, { sourceId: NONE })).toEqual([]);
    });

    it("refuses a cursor that is broken or belongs to another sort", async () => {
      const store = await opened();
      await add(store, "a");
      await add(store, "b");
      const { next } = await pageOf(store, { limit: 1, sort: "name" });
      await expect(pageOf(store, { sort: "-name", cursor: next ?? "" })).rejects.toThrow(InvalidCursorError);
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(fc.string(), fc.base64String(), fc.json().map(base64url)),
          async (cursor) => {
            await expect(pageOf(store, { cursor })).rejects.toThrow(InvalidCursorError);
          },
        ),
        { numRuns: 50 },
      );
    });
  });
};

const base64url = (text: string): string => Buffer.from(text).toString("base64url");

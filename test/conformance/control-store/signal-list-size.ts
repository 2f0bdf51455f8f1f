import { describe, expect, it } from "vitest";
import type { SignalDefinition } from "../../../schemas/change.ts";
import { SignalSort, type SignalStatus } from "../../../schemas/signal.ts";
import type { ControlStore, SignalList } from "../../../src/ports/control-store.ts";
import type { NewDatabase } from "../control-store.ts";
import { aSignal, MINE, OTHERS } from "./examples.ts";

const SIZE = 20_000;
const PLACES = ["Roof", "mast", "cellar", "Tunnel", "Übung"];

interface Kept {
  readonly definition: SignalDefinition;
  readonly status: SignalStatus;
}

/** The same names for each account; those of `owner` only are given. */
const fill = async ({ signals }: ControlStore, owner: typeof MINE): Promise<SignalDefinition[]> => {
  const made: SignalDefinition[] = [];
  for (let from = 0; from < SIZE; from += 10_000) {
    const operations = Array.from({ length: 10_000 }, (_, k) => {
      const i = from + k;
      const name = `${PLACES[i % 5]} link ${String((i * 7919) % SIZE).padStart(5, "0")}`;
      const externalId = i % 3 === 0 ? null : `dev-${i.toString(16)}`;
      const labels = {
        fleet: "all",
        site: `s${i % 4}`,
        rack: `r${i % 500}`,
        lot: i < SIZE / 2 ? "old" : "new",
        ...(i > SIZE / 2 - 20 ? { late: "yes" } : {}),
      };
      return { kind: "create" as const, input: aSignal({ name, externalId, labels }) };
    });
    const { results } = await signals.applyAll(owner, operations, { atomic: true });
    for (const result of results) if (result.ok && result.value !== null) made.push(result.value.definition);
  }
  return made;
};

const withStatus = async (
  { signals, signalStates }: ControlStore,
  made: readonly SignalDefinition[],
): Promise<Kept[]> => {
  const kept = made.map((definition, i): Kept => {
    const status = i % 5_000 === 7 ? "paused" : i % 16 === 3 ? "failed" : "active";
    return { definition, status };
  });
  const failed = kept.filter(({ status }) => status === "failed");
  await signalStates.project(
    failed.map(({ definition }) => ({
      signalId: definition.id,
      sequence: 2,
      status: "failed",
      reasons: [],
    })),
  );
  for (const { definition } of kept.filter(({ status }) => status === "paused"))
    await signals.update(MINE, definition.id, { status: "paused" });
  return kept;
};

const KEYS = { name: "name", "-name": "name", createdAt: "createdAt", "-createdAt": "createdAt" } as const;

const byPlace = (sort: SignalSort) => {
  const key = KEYS[sort];
  const sign = sort.startsWith("-") ? -1 : 1;
  return (a: SignalDefinition, b: SignalDefinition): number => {
    const [x, y] = a[key] === b[key] ? [a.id, b.id] : [a[key], b[key]];
    return x < y ? -sign : sign;
  };
};

type Filter = Pick<SignalList, "status" | "labels" | "q">;

const fits = ({ definition, status }: Kept, filter: Filter): boolean => {
  const { labels = {}, q = "" } = filter;
  const part = q.toLowerCase();
  const names = [definition.name, definition.externalId ?? ""].map((name) => name.toLowerCase());
  return (
    (filter.status ?? status) === status &&
    Object.entries(labels).every(([key, value]) => definition.labels[key] === value) &&
    names.some((name) => name.includes(part))
  );
};

/** Of labels: at one end of the list, at the other, and two common ones that few signals or none share. */
const LABELS: readonly Filter[] = [
  { labels: { lot: "old" } },
  { labels: { late: "yes" } },
  { labels: { fleet: "all", lot: "new" } },
  { labels: { lot: "old", late: "yes" } },
  { labels: { site: "s1", rack: "r9", fleet: "all" } },
];

/** Rare, common and absent ones, alone and together. */
const FILTERS: readonly Filter[] = [
  ...LABELS,
  {},
  { status: "failed" },
  { status: "paused" },
  { labels: { fleet: "all" }, status: "failed" },
  { labels: { site: "s1" } },
  { labels: { rack: "r7" } },
  { labels: { site: "s3", rack: "r7" } },
  { labels: { site: "s1", rack: "r7", fleet: "none" } },
  { labels: { site: "s2" }, status: "failed" },
  { q: "LINK" },
  { q: "übung" },
  { q: "00777" },
  { q: "dev-4e1f" },
  { q: "dev-1" },
  { q: "f l" },
  { q: "--" },
  { q: "7" },
  { q: "no such" },
  { q: "77", labels: { site: "s1" } },
  { q: "777", status: "failed" },
  { q: "roof", labels: { site: "s0" }, status: "active" },
];

/** Every order of what most signals match, and each other filter in one of them. */
const LISTS = FILTERS.flatMap((filter, i) =>
  SignalSort.options
    .filter((_, order) => i < LABELS.length + 5 || i % 4 === order)
    .map((sort) => ({ filter, sort })),
);

/** Each page by the cursor of the one before, until there is none. */
const walk = async ({ signals }: ControlStore, query: Filter & { sort: SignalSort }, limit: number) => {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { items, next } = await signals.list(MINE, { ...query, limit, cursor });
    expect(items.length).toBeLessThanOrEqual(limit);
    seen.push(...items.map(({ definition }) => definition.id));
    if (next === null) return seen;
    cursor = next;
  }
};

export const signalListSizeSuite = (newDatabase: NewDatabase): void => {
  describe("lists of 20,000 signals beside another account's", () => {
    it("give in each order what a filter matches, each once", { timeout: 240_000 }, async () => {
      const store = await (await newDatabase()).open();
      const kept = await withStatus(store, await fill(store, MINE));
      await fill(store, OTHERS);
      for (const { filter, sort } of LISTS) {
        const wanted = kept
          .filter((each) => fits(each, filter))
          .map(({ definition }) => definition)
          .sort(byPlace(sort))
          .map(({ id }) => id);
        const seen = await walk(store, { ...filter, sort }, 2_000);
        expect([sort, filter, seen]).toEqual([sort, filter, wanted]);
      }
    });
  });
};

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readEvents, readOn } from "../../src/dashboard/pages/signal/newest-events.ts";

const PAGE = 20;
const event = (atMs: number, n = 0) => ({ id: `evt_${atMs}_${n}`, createdAt: new Date(atMs).toISOString() });
type Stored = ReturnType<typeof event>;
const timesOf = (events: readonly Stored[]) => events.map(({ createdAt }) => Date.parse(createdAt));

/** As the service answers: the oldest of a time, a page of them. */
const serviceOf = (stored: readonly Stored[]) => {
  const asked: { readonly fromMs: number; readonly toMs: number }[] = [];
  const page = async (span: { readonly fromMs: number; readonly toMs: number }) => {
    asked.push(span);
    const within = stored.filter(({ createdAt }) => {
      const ms = Date.parse(createdAt);
      return ms >= span.fromMs && ms < span.toMs;
    });
    return { events: within.slice(0, PAGE), hasMore: within.length > PAGE };
  };
  return { page, asked };
};
const times = (count: number, everyMs: number, fromMs = 0) =>
  Array.from({ length: count }, (_, n) => event(fromMs + n * everyMs));

describe("events of a time", () => {
  test("that are few are read at once", async () => {
    const stored = times(PAGE, 10);
    const { page, asked } = serviceOf(stored);
    expect(await readEvents(page, { fromMs: 0, toMs: 1_000 })).toEqual({ events: stored, unread: null });
    expect(asked.length).toBe(1);
  });

  test("that are some pages are read page by page, each once", async () => {
    const stored = times(3 * PAGE, 10);
    const { page } = serviceOf(stored);
    expect(await readEvents(page, { fromMs: 0, toMs: 1_000 })).toEqual({ events: stored, unread: null });
  });

  test("that are very many: the oldest and the newest, and what is between is told of", async () => {
    const toMs = 10_000_000;
    const stored = [...times(1_000, 1_000), ...times(9_000, 1_000, 1_000_000)];
    const { page, asked } = serviceOf(stored);
    const { events, unread } = await readEvents(page, { fromMs: 0, toMs });
    expect(asked.length).toBeLessThan(20);
    expect(timesOf(events).at(-1)).toBe(9_999_000);
    if (unread === null) throw new Error("all of it cannot have been read");
    const read = stored.filter((one) => {
      const ms = Date.parse(one.createdAt);
      return ms <= unread.fromMs || ms >= unread.toMs;
    });
    expect(events).toEqual(read);
  });

  test("that come thick at the end are read there", async () => {
    const stored = [...times(200, 1_000_000), ...times(2_000, 5, 200_000_000)];
    const { events, unread } = await readEvents(serviceOf(stored).page, { fromMs: 0, toMs: 200_010_000 });
    expect(timesOf(events).at(-1)).toBe(200_009_995);
    expect(unread).not.toBeNull();
  });

  test("however they lie: none twice, in order, and all but those of the time that is told of", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(fc.nat({ max: 5_000 }), { maxLength: 600 }), async (found) => {
        const stored = found.toSorted((a, b) => a - b).map((ms) => event(ms));
        const { events, unread } = await readEvents(serviceOf(stored).page, { fromMs: 0, toMs: 5_001 });
        const isRead = (ms: number) => unread === null || ms <= unread.fromMs || ms >= unread.toMs;
        expect(timesOf(events)).toEqual(timesOf(stored).filter(isRead));
      }),
    );
  });
});

describe("what has come since", () => {
  test("is behind what was read, each once", () => {
    const before = { events: times(3, 10), unread: null };
    const { events } = readOn(before, [event(20), event(30)], 0, () => true);
    expect(timesOf(events)).toEqual([0, 10, 20, 30]);
  });

  test("lets go of what is over, but for what tells how it was then", () => {
    const before = { events: times(5, 10), unread: { fromMs: 5, toMs: 15 } };
    const tells = ({ id }: Stored) => id !== "evt_30_0";
    const after = readOn(before, [], 35, tells);
    expect(timesOf(after.events)).toEqual([20, 30, 40]);
    expect(after.unread).toBeNull();
    expect(readOn(before, [], 7, tells).unread).toEqual({ fromMs: 5, toMs: 15 });
  });
});

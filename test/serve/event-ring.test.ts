import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AccountId, EventId, SignalId } from "../../schemas/common.ts";
import { ulid } from "../../src/domain/ids.ts";
import { matcher } from "../../src/serve/event-filter.ts";
import { EventRing, type FeedEntry } from "../../src/serve/event-ring.ts";

const numbered = (prefix: string, n: number): string => {
  const bytes = new Uint8Array(10);
  new DataView(bytes.buffer).setUint32(0, n);
  return `${prefix}_${ulid(0, bytes)}`;
};
const ACCOUNT = AccountId.parse(numbered("acc", 1));
const OTHER = AccountId.parse(numbered("acc", 2));

const entry = (position: number, more: Partial<FeedEntry> = {}): FeedEntry => ({
  position,
  id: EventId.parse(numbered("evt", position)),
  accountId: ACCOUNT,
  signalId: SignalId.parse(numbered("sig", position % 3)),
  kind: "signal.failed",
  createdAtMs: position,
  text: "{}",
  ...more,
});
const NONE = new Map<AccountId, EventId>();
const all = () => true;
const positions = (entries: readonly FeedEntry[]) => entries.map(({ position }) => position);

describe("the ring of events", () => {
  test("gives what was appended after a position, in order, and says how far that reaches", () => {
    const ring = new EventRing({ events: 10, bytes: 1e6 }, 5, NONE);
    for (const position of [5, 6, 9]) ring.append(entry(position));
    ring.advance(12);
    expect(ring.read(5, 10, all)).toMatchObject({ through: 11 });
    expect(positions(ring.read(5, 10, all).entries)).toEqual([6, 9]);
    expect(ring.read(4, 2, all).through).toBe(6);
    expect(ring.read(30, 2, all)).toEqual({ entries: [], through: 30 });
  });

  test("keeps everything that is not stored elsewhere, whatever its limits", () => {
    const ring = new EventRing({ events: 3, bytes: 1e6 }, 0, NONE);
    for (let position = 0; position < 10; position++) ring.append(entry(position));
    ring.trim(0);
    expect([ring.size, ring.isOver, ring.start]).toEqual([10, true, 0]);
    ring.trim(4);
    expect([ring.size, ring.isOver, ring.start]).toEqual([6, true, 4]);
    ring.trim(10);
    expect([ring.size, ring.isOver, ring.start]).toEqual([2, false, 8]);
  });

  test("is bounded by bytes too, and counts them back", () => {
    const ring = new EventRing({ events: 1_000, bytes: 10_000 }, 0, NONE);
    for (let position = 0; position < 20; position++) ring.append(entry(position, { text: "x".repeat(500) }));
    ring.trim(20);
    expect(ring.bytes).toBeLessThanOrEqual(9_000);
    expect(ring.size).toBeGreaterThan(0);
  });

  test("refuses to read below its start, where something would be missing", () => {
    const ring = new EventRing({ events: 2, bytes: 1e6 }, 3, NONE);
    expect(() => ring.read(1, 5, all)).toThrow(RangeError);
    expect(ring.read(2, 5, all).entries).toEqual([]);
  });

  test("knows where an event stands, for its own account only", () => {
    const ring = new EventRing({ events: 10, bytes: 1e6 }, 0, NONE);
    ring.append(entry(4));
    expect(ring.positionOf(ACCOUNT, entry(4).id)).toBe(4);
    expect(ring.positionOf(OTHER, entry(4).id)).toBeNull();
    expect(ring.positionOf(ACCOUNT, entry(5).id)).toBeNull();
  });

  test("knows the newest event of an account at a position, also when it was let go of", () => {
    const [before, others] = [entry(1), entry(2, { accountId: OTHER })];
    const ring = new EventRing({ events: 2, bytes: 1e6 }, 3, new Map([[ACCOUNT, before.id]]));
    expect([ring.newest(ACCOUNT, 9), ring.newest(OTHER, 9)]).toEqual([before.id, null]);
    ring.append({ ...others, position: 3 });
    for (const position of [4, 6]) ring.append(entry(position));
    expect([3, 4, 5, 9].map((position) => ring.newest(ACCOUNT, position))).toEqual([
      before.id,
      entry(4).id,
      entry(4).id,
      entry(6).id,
    ]);
    ring.trim(7);
    expect(ring.start).toBeGreaterThan(4);
    expect([ring.newest(ACCOUNT, 5), ring.newest(OTHER, 9)]).toEqual([entry(4).id, others.id]);
    ring.restart(20, new Map([[OTHER, others.id]]));
    expect([ring.newest(ACCOUNT, 30), ring.newest(OTHER, 30)]).toEqual([null, others.id]);
  });

  test("reading page by page gives what reading at once gives, whatever was trimmed between", () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        gaps,
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 20 }),
        (steps, page, max) => {
          const ring = new EventRing({ events: max, bytes: 1e6 }, 0, NONE);
          let next = 0;
          for (const step of steps) {
            ring.append(entry(next));
            next += step;
          }
          ring.advance(next);
          ring.trim(next);
          const seen: number[] = [];
          for (let after = ring.start - 1; after < ring.end - 1; ) {
            const read = ring.read(after, page, all);
            seen.push(...positions(read.entries));
            after = read.through;
          }
          expect(seen).toEqual(positions(ring.read(ring.start - 1, 1_000, all).entries));
          expect(ring.size).toBeLessThanOrEqual(max);
        },
      ),
    );
  });
});

test("a filter lets through what matches all that it names", () => {
  const one = entry(4);
  const matches = (filter: object) => matcher({ accountId: ACCOUNT, ...filter })(one);
  expect(matches({})).toBe(true);
  expect(matches({ accountId: OTHER })).toBe(false);
  expect(matches({ kinds: ["signal.failed"], signalIds: [one.signalId], fromMs: 4, toMs: 5 })).toBe(true);
  expect(matches({ kinds: ["signal.updated"] })).toBe(false);
  expect(matches({ signalIds: [entry(5).signalId] })).toBe(false);
  expect(matches({ fromMs: 5 })).toBe(false);
  expect(matches({ toMs: 4 })).toBe(false);
});

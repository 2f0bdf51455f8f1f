import fc from "fast-check";
import { expect, test } from "vitest";
import { EventId } from "../../schemas/common.ts";
import { derivedUlid, MonotonicUlids, timeOfId, ulid } from "../../src/domain/ids.ts";
import { LOG_ID, START_MS } from "../support/partition.ts";

const TIME_MAX = 2 ** 48 - 1;
const time = fc.integer({ min: 0, max: TIME_MAX });
const origin = fc.record({
  logId: fc.constant(LOG_ID),
  partition: fc.nat({ max: 3 }),
  offset: fc.nat({ max: 3 }),
  line: fc.nat({ max: 3 }),
  ordinal: fc.nat({ max: 3 }),
});

test("a ULID is written as its specification shows", () => {
  expect(ulid(1_469_918_176_385, new Uint8Array(10))).toBe("01ARYZ6S410000000000000000");
  expect(timeOfId("01ARYZ6S410000000000000000")).toBe(1_469_918_176_385);
  expect(timeOfId(`alr_${ulid(TIME_MAX, new Uint8Array(10))}`)).toBe(TIME_MAX);
  expect(ulid(TIME_MAX, new Uint8Array(10).fill(255))).toBe("7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
  expect(() => ulid(TIME_MAX + 1, new Uint8Array(10))).toThrow(RangeError);
});

test("ULIDs sort as their times do", () => {
  fc.assert(
    fc.property(time, time, fc.uint8Array({ minLength: 10, maxLength: 10 }), (a, b, randomness) => {
      expect(Math.sign(a - b)).toBe(
        ulid(a, randomness) < ulid(b, randomness) ? -1 : ulid(a, randomness) > ulid(b, randomness) ? 1 : 0,
      );
    }),
  );
});

test("ULIDs made one after the other sort so, though all are of one millisecond", () => {
  const almostFull = Uint8Array.from({ length: 10 }, (_, at) => (at < 8 ? 7 : 255));
  const ulids = new MonotonicUlids(() => almostFull);
  const made = Array.from({ length: 300 }, () => ulids.next(START_MS));
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(300);
  expect(made.every((id) => timeOfId(id) === START_MS)).toBe(true);
  expect(ulids.next(START_MS + 1)).toBe(ulid(START_MS + 1, almostFull));
  expect(almostFull[9]).toBe(255);
});

test("a ULID after the greatest of its millisecond is by chance again", () => {
  const chances = [new Uint8Array(10).fill(255), new Uint8Array(10).fill(3)];
  const ulids = new MonotonicUlids(() => chances.shift() ?? new Uint8Array(10));
  expect([ulids.next(START_MS), ulids.next(START_MS)]).toEqual([
    ulid(START_MS, new Uint8Array(10).fill(255)),
    ulid(START_MS, new Uint8Array(10).fill(3)),
  ]);
});

test("an id of the past is the same today: readers know events by it", () => {
  const from = { logId: LOG_ID, partition: 3, offset: 123_456, line: 17, ordinal: 2 };
  expect(derivedUlid(1_767_225_600_123, from, "signal.failed")).toBe("01KDVDNA3VSJJF2SXEYR3GY63F");
  const randomness = Uint8Array.from({ length: 10 }, (_, i) => i * 37 + 11);
  expect(ulid(1_767_225_600_123, randomness)).toBe("01KDVDNA3V1CR5AYMZRKMGWCTR");
});

test("a derived id is an id, the same for the same origin and kind and for no other", () => {
  const kind = fc.constantFrom("signal.failed", "alert.firing");
  fc.assert(
    fc.property(origin, kind, origin, kind, (from, what, other, whatElse) => {
      const id = derivedUlid(START_MS, from, what);
      expect(EventId.safeParse(`evt_${id}`).success).toBe(true);
      const same = JSON.stringify([from, what]) === JSON.stringify([other, whatElse]);
      expect(derivedUlid(START_MS, other, whatElse) === id).toBe(same);
    }),
  );
});

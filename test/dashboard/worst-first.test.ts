import fc from "fast-check";
import { expect, test } from "vitest";
import { NOTHING } from "../../src/dashboard/live/live-store.ts";
import { counted, FAILED, PAUSED, worstFirst } from "../../src/dashboard/live/worst-first.ts";

const ACTIVE = 0;
const columnsOf = (signals: readonly { status: number; quality: number; at: number }[]) => ({
  size: signals.length,
  strength: new Float32Array(signals.length),
  quality: Float32Array.from(signals, ({ quality }) => quality),
  status: Uint8Array.from(signals, ({ status }) => status),
  at: Float64Array.from(signals, ({ at }) => at),
});
const signal = fc.record({
  status: fc.constantFrom(ACTIVE, FAILED, PAUSED, NOTHING),
  quality: fc.integer({ min: 0, max: 100 }).map((percent) => percent / 100),
  at: fc.constantFrom(0, 1_700_000_000_000),
});
const GROUPS = [FAILED, ACTIVE, PAUSED];

test("the failed come first and the paused last, each by quality and then those without a reading; who is gone is left out", () => {
  fc.assert(
    fc.property(fc.array(signal), (signals) => {
      const wanted = signals
        .map((one, place) => ({ ...one, place }))
        .filter(({ status }) => status !== NOTHING)
        .map(({ at, ...one }) => ({ ...one, quality: at === 0 ? Number.POSITIVE_INFINITY : one.quality }))
        .sort(
          (a, b) =>
            GROUPS.indexOf(a.status) - GROUPS.indexOf(b.status) ||
            (a.quality === b.quality ? a.place - b.place : a.quality - b.quality),
        );
      const columns = columnsOf(signals);
      expect([...worstFirst(columns)]).toEqual(wanted.map(({ place }) => place));
      const withStatus = (status: number) => wanted.filter((one) => one.status === status).length;
      expect(counted(columns)).toEqual({
        active: withStatus(ACTIVE),
        failed: withStatus(FAILED),
        paused: withStatus(PAUSED),
      });
    }),
  );
});

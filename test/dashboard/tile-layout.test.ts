import fc from "fast-check";
import { expect, test } from "vitest";
import { tileLayout } from "../../src/dashboard/pages/overview/tile-layout.ts";

const GAP_PX = 6;
const WALL = [777, 420] as const;

test("a few tiles fill the wall, within what a tile may be", () => {
  expect(tileLayout(20, ...WALL)).toEqual({ across: 5, widthPx: 150, heightPx: 100 });
  expect(tileLayout(1, ...WALL)).toEqual({ across: 1, widthPx: 260, heightPx: 120 });
  expect(tileLayout(3, 300, 420)?.across).toBe(1);
});

test("more reach beyond it, and too many to look through are no tiles", () => {
  expect(tileLayout(200, ...WALL)?.heightPx).toBe(68);
  expect(tileLayout(201, ...WALL)).toBeNull();
  expect(tileLayout(100, 300, 420)).toBeNull();
});

test("tiles are never wider together than the wall, nor too small for what they say", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 250 }), fc.integer({ min: 200, max: 1_400 }), (count, width) => {
      const layout = tileLayout(count, width, WALL[1]);
      if (layout === null) return;
      const { across, widthPx, heightPx } = layout;
      expect(across * (widthPx + GAP_PX) - GAP_PX).toBeLessThanOrEqual(width);
      expect(Math.min(widthPx - 112, heightPx - 68)).toBeGreaterThanOrEqual(0);
    }),
  );
});

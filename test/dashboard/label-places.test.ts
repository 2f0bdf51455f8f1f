import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { besideOthers, inARow } from "../../src/dashboard/chart/label-places.ts";

const AREA = { left: 100, right: 400, gap: 5 };

describe("names of moments stand in a row", () => {
  test("each where it belongs, if there is room", () => {
    const wanted = [
      { left: 120, width: 40 },
      { left: 200, width: 40 },
    ];
    expect(inARow(wanted, AREA)).toEqual([120, 200]);
  });

  test("behind the one before, and not beyond either end", () => {
    expect(
      inARow(
        [
          { left: 80, width: 40 },
          { left: 82, width: 40 },
        ],
        AREA,
      ),
    ).toEqual([100, 145]);
    expect(
      inARow(
        [
          { left: 380, width: 40 },
          { left: 382, width: 40 },
        ],
        AREA,
      ),
    ).toEqual([315, 360]);
  });

  test("none over another, wherever they are", () => {
    const box = fc.record({ left: fc.integer({ min: 0, max: 500 }), width: fc.integer({ min: 1, max: 60 }) });
    fc.assert(
      fc.property(fc.array(box, { maxLength: 4 }), (boxes) => {
        const wanted = boxes.toSorted((a, b) => a.left - b.left);
        const places = inARow(wanted, AREA);
        const ends = places.map((place, at) => place + (wanted[at]?.width ?? 0));
        expect(places.every((place, at) => place >= (at === 0 ? AREA.left : (ends[at - 1] ?? 0) + 5))).toBe(
          true,
        );
        expect(ends.every((end) => end <= AREA.right)).toBe(true);
      }),
    );
  });
});

test("a name of a limit moves past those at the same height, and is left out where there is no room", () => {
  const box = { left: 105, top: 50, width: 100, height: 18 };
  expect(besideOthers(box, [], AREA.right, AREA.gap)).toEqual(box);
  expect(besideOthers(box, [{ ...box, top: 100 }], AREA.right, AREA.gap)).toEqual(box);
  expect(besideOthers(box, [{ ...box, top: 60 }], AREA.right, AREA.gap)).toEqual({ ...box, left: 210 });
  const two = [box, { ...box, left: 210 }];
  expect(besideOthers(box, two, AREA.right, AREA.gap)).toBeNull();
});

import { expect, test } from "vitest";
import { WallOrder } from "../../src/dashboard/pages/overview/wall-order.ts";

const columns = (...quality: number[]) => ({
  size: quality.length,
  strength: new Float32Array(quality.length),
  quality: Float32Array.from(quality),
  status: new Uint8Array(quality.length),
  at: new Float64Array(quality.length).fill(1),
});

test("what is worse comes first with the next sorting, but not in a pause nor while somebody points", () => {
  const order = new WallOrder();
  order.renew(columns(), 0, false);
  order.renew(columns(0.2, 0.9), 1, false);
  expect([...order.places]).toEqual([0, 1]);
  const turned = columns(0.9, 0.2);
  order.renew(turned, 2, false);
  expect([...order.places]).toEqual([0, 1]);
  order.renew(turned, 10_000, true);
  expect([...order.places]).toEqual([0, 1]);
  order.hold(10_000);
  order.renew(turned, 12_500, false);
  expect([...order.places]).toEqual([0, 1]);
  order.renew(turned, 15_000, false);
  expect([...order.places]).toEqual([1, 0]);
});

test("what there is first is there at once, in a pause too", () => {
  const order = new WallOrder();
  order.renew(columns(), 0, true);
  order.renew(columns(0.5), 1, true);
  expect([...order.places]).toEqual([0]);
});

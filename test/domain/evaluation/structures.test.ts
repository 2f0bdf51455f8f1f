import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RuleTemplate } from "../../../src/domain/evaluation/compiled-rule.ts";
import { DueHeap } from "../../../src/domain/evaluation/due-heap.ts";
import { fires } from "../../../src/domain/evaluation/limits.ts";
import { quietBounds } from "../../../src/domain/evaluation/signal-rows.ts";
import { SignalTable } from "../../../src/domain/evaluation/signal-table.ts";
import { SlotQueue } from "../../../src/domain/evaluation/slot-queue.ts";
import { qualityOf } from "../../../src/domain/quality.ts";
import { accountId, definition, rule, signalId } from "../../support/partition.ts";

describe("the table of signals", () => {
  test("finds what was added and not removed, in any order of both", () => {
    const operations = fc.array(fc.record({ n: fc.nat({ max: 900 }), add: fc.boolean() }), {
      maxLength: 3_000,
    });
    fc.assert(
      fc.property(operations, (list) => {
        const table = new SignalTable();
        const model = new Map<number, number>();
        const free: number[] = [];
        for (const { n, add } of list) {
          const slot = model.get(n);
          if (add && slot === undefined) {
            const next = free.pop() ?? model.size;
            table.add(signalId(n), next);
            model.set(n, next);
          } else if (!add && slot !== undefined) {
            table.remove(signalId(n));
            model.delete(n);
            free.push(slot);
          }
        }
        for (let n = 0; n <= 900; n++) expect(table.findId(signalId(n))).toBe(model.get(n) ?? -1);
      }),
      { numRuns: 20 },
    );
  });

  test("finds an id by its bytes within a block, and ignores removing an unknown one", () => {
    const table = new SignalTable();
    table.add(signalId(5), 0);
    table.remove(signalId(6));
    const block = new TextEncoder().encode(`xx${signalId(5)}\t${signalId(6)}`);
    const view = new DataView(block.buffer);
    expect([table.find(view, 2), table.find(view, 33)]).toEqual([0, -1]);
  });
});

describe("the queue of slots", () => {
  test("gives each slot once, in the order of coming, however it is taken from", () => {
    const operation = fc.oneof(fc.nat({ max: 300 }), fc.constant("take" as const));
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 2_000 }), (list) => {
        const queue = new SlotQueue();
        const model = new Set<number>();
        for (const step of list) {
          if (step === "take") {
            const [first = -1] = model;
            model.delete(first);
            expect(queue.take()).toBe(first);
          } else {
            queue.add(step);
            model.add(step);
          }
          expect(queue.size).toBe(model.size);
        }
      }),
    );
  });

  test("takes no more room than there are slots, even if it never becomes empty", () => {
    const queue = new SlotQueue();
    for (let turn = 0; turn < 200; turn++) {
      for (let slot = 0; slot < 1_000; slot++) queue.add(slot);
      for (let n = 0; n < 500; n++) queue.take();
    }
    expect(queue.size).toBe(500);
    expect(queue.capacity).toBeLessThanOrEqual(2_000);
  });
});

describe("the heap of what is due", () => {
  const operation = fc.record({
    slot: fc.nat({ max: 200 }),
    due: fc.option(fc.nat({ max: 30 }), { nil: null }),
  });

  test("gives each slot once, earliest first, ties in the order asked for", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 500 }), (list) => {
        const heap = new DueHeap((slot, other) => slot > other);
        const model = new Map<number, number>();
        for (const { slot, due } of list) {
          if (due === null) {
            heap.remove(slot);
            model.delete(slot);
          } else {
            heap.set(slot, due);
            model.set(slot, due);
          }
        }
        expect(heap.size).toBe(model.size);
        const drained: [number, number][] = [];
        for (let slot = heap.firstDue(30); slot >= 0; slot = heap.firstDue(30)) {
          drained.push([slot, heap.dueOf(slot)]);
          heap.remove(slot);
        }
        expect(drained).toEqual([...model].sort(([a, dueA], [b, dueB]) => dueA - dueB || b - a));
      }),
    );
  });

  test("has nothing due before its time", () => {
    const heap = new DueHeap(() => false);
    heap.set(3, 10);
    expect([heap.firstDue(9), heap.firstDue(10)]).toEqual([-1, 3]);
  });
});

describe("the bounds between which a reading need only be remembered", () => {
  const dbm = fc.double({ min: -200, max: 50, noNaN: true });
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const inner = fc.double({ min: 0.001, max: 0.999, noNaN: true });
  const onQuality = (operator: "below" | "above", value: number) =>
    new RuleTemplate(accountId(1), 1, rule(1, { condition: { metric: "quality", operator, value } }));
  const near = fc.double({ min: -0.01, max: 0.01, noNaN: true });

  test("hold no strength that crosses a limit of quality, however near to it", () => {
    fc.assert(
      fc.property(dbm, dbm, share, inner, inner, near, (a, b, threshold, low, high, offDb) => {
        const [floorDbm, ceilingDbm] = [Math.min(a, b), Math.max(a, b)];
        const signal = definition(1, { floorDbm, ceilingDbm, threshold });
        const rules = [onQuality("below", low), onQuality("above", high)].flatMap(
          (template) => template.for(signal) ?? [],
        );
        const bounds = quietBounds(rules, signal) ?? expect.fail();
        for (const limit of [threshold, low, high]) {
          const strength = Math.fround(floorDbm + limit * (ceilingDbm - floorDbm) + offDb);
          if (strength < bounds.low || strength > bounds.high) continue;
          const quality = Math.fround(qualityOf(strength, floorDbm, ceilingDbm));
          const crossed = rules.some(({ levels }) => fires(levels[0].limits, quality));
          expect([quality < Math.fround(threshold), crossed]).toEqual([false, false]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("are next to the limits", () => {
    const signal = definition(1, { threshold: 0.5 });
    const rules = [onQuality("above", 0.75)].flatMap((template) => template.for(signal) ?? []);
    const { low, high } = quietBounds(rules, signal) ?? expect.fail();
    expect([low, high]).toEqual([expect.closeTo(-75, 2), expect.closeTo(-62.5, 2)]);
  });
});

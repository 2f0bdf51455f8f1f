import fc from "fast-check";
import { expect, test } from "vitest";
import { InTurn } from "../../bench/in-turn.ts";

test("all that is due is shared out, and none ever has two more than another", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 50 }), fc.array(fc.nat({ max: 200 })), (count, dues) => {
      const turns = new InTurn(count);
      const sums = new Array<number>(count).fill(0);
      for (const due of dues) {
        const shares = turns.share(due);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(due);
        for (const [at, share] of shares.entries()) sums[at] = (sums[at] ?? 0) + share;
        expect(Math.max(...sums) - Math.min(...sums)).toBeLessThanOrEqual(1);
      }
    }),
  );
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Sharer, share } from "../../../src/adapters/kafka/sharing.ts";

const group = fc
  .record({ members: fc.integer({ min: 1, max: 6 }), partitions: fc.integer({ min: 1, max: 20 }) })
  .chain(({ members, partitions }) =>
    fc.record({
      partitions: fc.constant(partitions),
      // Whose each partition is: past the last member nobody's.
      owners: fc.array(fc.integer({ min: 0, max: members }), {
        minLength: partitions,
        maxLength: partitions,
      }),
      members: fc.constant(members),
    }),
  );
const sharersOf = (members: number, owners: readonly number[]): Sharer[] =>
  Array.from({ length: members }, (_, member) => ({
    memberId: `m${member}`,
    owned: owners.flatMap((owner, partition) => (owner === member ? [partition] : [])),
  }));

describe("sharing partitions", () => {
  it("never gives away a partition that another member still has, nor one to two", () => {
    fc.assert(
      fc.property(group, ({ members, owners, partitions }) => {
        const shares = share(sharersOf(members, owners), partitions);
        const given = [...shares].flatMap(([memberId, list]) =>
          list.map((partition) => ({ memberId, partition })),
        );
        expect(new Set(given.map(({ partition }) => partition)).size).toBe(given.length);
        for (const { memberId, partition } of given)
          expect([memberId, `m${members}`]).toContain(`m${owners[partition]}`);
      }),
    );
  });

  it("is even once everything that has to move was let go of, and then changes nothing", () => {
    fc.assert(
      fc.property(group, ({ members, owners, partitions }) => {
        const first = share(sharersOf(members, owners), partitions);
        const kept = [...first].map(([memberId, owned]) => ({ memberId, owned }));
        const second = share(kept, partitions);
        const sizes = [...second.values()].map((list) => list.length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        expect([...second.values()].flat().toSorted((a, b) => a - b)).toEqual(
          Array.from({ length: partitions }, (_, partition) => partition),
        );
        const third = share(
          [...second].map(([memberId, owned]) => ({ memberId, owned })),
          partitions,
        );
        expect(third).toEqual(second);
      }),
    );
  });

  it("takes no more from a member than it has too many", () => {
    fc.assert(
      fc.property(group, ({ members, owners, partitions }) => {
        const sharers = sharersOf(members, owners);
        const shares = share(sharers, partitions);
        for (const { memberId, owned } of sharers) {
          const lost = owned.filter((partition) => !shares.get(memberId)?.includes(partition)).length;
          expect(lost).toBeLessThanOrEqual(Math.max(0, owned.length - Math.floor(partitions / members)));
        }
      }),
    );
  });
});

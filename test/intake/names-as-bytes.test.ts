import fc from "fast-check";
import { expect, test } from "vitest";
import { NamesAsBytes } from "../../src/intake/names-as-bytes.ts";
import { signalRef } from "../../src/intake/signal-cache.ts";
import { bytes, signalId } from "../support/rows.ts";

const refs = Array.from({ length: 4 }, (_, n) => signalRef(signalId(n), 1));

test("what it finds is what was set last and not deleted since, wherever the name stands", () => {
  const name = fc.string({ minLength: 0, maxLength: 3, unit: fc.constantFrom("a", "b", "0") });
  const step = fc.record({ name, ref: fc.option(fc.constantFrom(...refs)) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), fc.integer(), (steps, seed) => {
      const names = new NamesAsBytes(seed);
      const known = new Map<string, unknown>();
      for (const { name: of, ref } of steps) {
        if (ref === null) names.delete(bytes(of));
        else names.set(bytes(of), ref);
        known.set(of, ref ?? undefined);
      }
      for (const [of, ref] of known) {
        expect(names.find(bytes(`"${of}"`), 1, of.length + 1)).toBe(ref);
        expect(names.find(bytes(`${of}x`), 0, of.length + 1)).toBeUndefined();
      }
    }),
    { numRuns: 200 },
  );
});

test("many come and go, and those that stayed are found", () => {
  const names = new NamesAsBytes(7);
  const nameOf = (n: number) => bytes(`tower-${n}/antenna`);
  for (let n = 0; n < 50_000; n++) {
    names.set(nameOf(n), refs[n % refs.length] ?? signalRef(signalId(9), 1));
    if (n % 10 > 0) names.delete(nameOf(n));
  }
  let found = 0;
  for (let n = 0; n < 50_000; n++) {
    const name = nameOf(n);
    const ref = names.find(name, 0, name.length);
    if (n % 10 > 0) expect(ref).toBeUndefined();
    else if (ref !== undefined) found++;
  }
  // One that lies too far from its place may be left to the slower way.
  expect(found).toBeGreaterThan(4_990);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSealer, SealedDataError } from "../../../src/adapters/control/sealed.ts";
import { systemEntropy } from "../../../src/adapters/system/clock.ts";

const key = systemEntropy.bytes(32);
const sealer = createSealer(key, systemEntropy);

describe("sealed data", () => {
  it("opens to what was sealed, for its owner", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, owner) => {
        expect(sealer.open(owner, sealer.seal(owner, text))).toBe(text);
      }),
    );
  });

  it("looks different each time, and shows nothing of its content", () => {
    const [one, two] = [sealer.seal("a", "secret text"), sealer.seal("a", "secret text")];
    expect(Buffer.compare(one, two)).not.toBe(0);
    expect(Buffer.from(one).includes("secret")).toBe(false);
  });

  it("opens for no other owner, under no other key, and with no bit changed", () => {
    const sealed = sealer.seal("src_a", "secret");
    const other = createSealer(systemEntropy.bytes(32), systemEntropy);
    expect(() => sealer.open("src_b", sealed)).toThrow(SealedDataError);
    expect(() => other.open("src_a", sealed)).toThrow(SealedDataError);
    fc.assert(
      fc.property(fc.nat(sealed.length * 8 - 1), (bit) => {
        const changed = Uint8Array.from(sealed);
        changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(() => sealer.open("src_a", changed)).toThrow(SealedDataError);
      }),
    );
    for (let length = 0; length < sealed.length; length++) {
      expect(() => sealer.open("src_a", sealed.subarray(0, length))).toThrow(SealedDataError);
    }
  });

  it("takes no key of another length", () => {
    expect(() => createSealer(new Uint8Array(16), systemEntropy)).toThrow(RangeError);
  });
});

import { createHash } from "node:crypto";
import { crc32 as zlibCrc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { apiKeyHash, apiKeyPrefix, crc32, generateApiKey, isApiKey } from "../../src/domain/api-key.ts";

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });

test("a generated key has the documented form and is accepted", () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const key = generateApiKey(random);
      expect(key).toMatch(/^sos_[0-9A-Za-z]{38}$/);
      expect(isApiKey(key)).toBe(true);
    }),
  );
});

test("one character changed makes the checksum wrong", () => {
  const changed = fc.tuple(bytes, fc.integer({ min: 4, max: 41 }), fc.constantFrom(..."09AZaz"));
  fc.assert(
    fc.property(changed, ([random, at, character]) => {
      const key = generateApiKey(random);
      const other = key.slice(0, at) + character + key.slice(at + 1);
      expect(isApiKey(other)).toBe(other === key);
    }),
  );
});

test.each(["", "sos_", "sos_short", `sos_${"0".repeat(38)}`, `xxx_${"0".repeat(38)}`])(
  "%j is no key",
  (text) => {
    expect(isApiKey(text)).toBe(false);
  },
);

test("different bytes give different keys, too few are refused", () => {
  const one = generateApiKey(new Uint8Array(32).fill(1));
  expect(generateApiKey(new Uint8Array(32).fill(2))).not.toBe(one);
  expect(() => generateApiKey(new Uint8Array(31))).toThrow(RangeError);
});

test("the checksum is zlib's CRC32", () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[ -~]*$/), (text) => {
      expect(crc32(text)).toBe(zlibCrc32(text));
    }),
  );
});

test("a key is kept as its SHA-256 and shown by its first characters", () => {
  const key = generateApiKey(new Uint8Array(32).fill(7));
  expect(Buffer.from(apiKeyHash(key)).toString("hex")).toBe(createHash("sha256").update(key).digest("hex"));
  expect(apiKeyPrefix(key)).toBe(key.slice(0, 8));
});

import { expect, test } from "vitest";
import { chosenPasswordFault } from "../../src/access/password-strength.ts";
import { newTotpSecret, stepOfCode, totpUri } from "../../src/access/totp.ts";
import { argon2Passwords } from "../../src/adapters/system/argon2.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { TooManyPasswordsError } from "../../src/ports/passwords.ts";

test("a password is kept so that it can be recognised and not read, each time otherwise", async () => {
  const passwords = argon2Passwords(systemEntropy);
  const [one, two] = await Promise.all([passwords.hash("rain on copper"), passwords.hash("rain on copper")]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect(one).not.toBe(two);
  expect(await passwords.verify("rain on copper", one)).toBe(true);
  expect(await passwords.verify("rain on Copper", one)).toBe(false);
  expect(await passwords.verify("rain on copper", null)).toBe(false);
  // As other programs write it, with other costs.
  const other = "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQxMjM0NTY3OA$";
  await expect(passwords.verify("x", other)).rejects.toThrow(/unknown form/);
});

test("no more than a hundred passwords wait", async () => {
  const passwords = argon2Passwords(systemEntropy);
  const all = await Promise.allSettled(Array.from({ length: 110 }, () => passwords.verify("x", null)));
  const refused = all.filter((one) => one.status === "rejected");
  expect(refused.length).toBe(6);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(TooManyPasswordsError);
});

test("a password that others would guess is refused, and a long one looked at in no time", () => {
  for (const text of ["passwordpassword", "123456789012345", "qwertyuiopasdf", "jane.doe@example.org"])
    expect(chosenPasswordFault(text, ["jane.doe@example.org"])).toMatch(/easy to guess/);
  for (const text of ["rain on a copper antenna", "x9$Kq2!vLm#7Rz", "seven lonely masts above"])
    expect(chosenPasswordFault(text, ["jane.doe@example.org"])).toBeNull();
  expect(chosenPasswordFault("aB3$".repeat(32), [])).toBeDefined();
});

test("codes of an app count in their half minute and one on either side", () => {
  // RFC 6238, appendix B: the secret of its SHA-1 rows, and the last six digits of their codes.
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  expect(stepOfCode(secret, "287 082", 59_000)).toBe(1);
  expect(stepOfCode(secret, "081804", 1_111_111_109_000)).toBe(37_037_036);
  expect(stepOfCode(secret, "287082", 89_000)).toBe(1);
  expect(stepOfCode(secret, "287082", 90_000)).toBeNull();
  expect(stepOfCode(secret, "287083", 59_000)).toBeNull();
  const made = newTotpSecret((count) => systemEntropy.bytes(count));
  expect(made).toMatch(/^[A-Z2-7]{32}$/);
  expect(totpUri(made, "jane@example.org")).toMatch(/^otpauth:\/\/totp\/.*jane%40example\.org.*secret=/);
});

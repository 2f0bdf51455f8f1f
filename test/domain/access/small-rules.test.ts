import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { invitationState } from "../../../src/domain/access/invitation.ts";
import { recoveryCode, recoveryCodeOf, totpCode } from "../../../src/domain/access/one-time-code.ts";
import { normalPassword, passwordFault } from "../../../src/domain/access/password-rules.ts";
import { returnPath } from "../../../src/domain/access/return-path.ts";
import { scopesWithin } from "../../../src/domain/access/roles.ts";
import { isToken, tokenOf } from "../../../src/domain/access/secret-token.ts";

describe("where to go after signing in", () => {
  it.each([
    ["/signals?status=failed", "/signals?status=failed"],
    ["/a/../b", "/b"],
    [undefined, "/"],
    ["", "/"],
    ["//evil.example", "/"],
    ["/\\evil.example", "/"],
    ["/\t/evil.example", "/"],
    ["/.//evil.example", "/"],
    ["/a/..//evil.example", "/"],
    ["https://evil.example/", "/"],
    ["javascript:alert(1)", "/"],
    ["\\\\evil.example", "/"],
  ])("%j leads to %j", (asked, path) => {
    expect(returnPath(asked)).toBe(path);
  });

  it("is here, whatever is asked for", () => {
    const piece = fc.constantFrom(
      "/",
      "\\",
      ".",
      "..",
      "\t",
      "\n",
      "@",
      ":",
      "evil.example",
      "?",
      "#",
      "%2f",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const found = new URL(returnPath(pieces.join("")), "https://us.example");
        expect(found.origin).toBe("https://us.example");
      }),
    );
  });
});

describe("codes", () => {
  it.each([
    ["123456", "123456"],
    [" 123 456 ", "123456"],
    ["123-456", "123456"],
    ["12345", null],
    ["1234567", null],
    ["１２３４５６", null],
    ["١٢٣٤٥٦", null],
    ["12345６", null],
    ["123\u00a0456", null],
    ["12345a", null],
  ])("of an app: %j is %j", (typed, code) => {
    expect(totpCode(typed)).toBe(code);
  });

  it("for recovery are read however they are typed", () => {
    const code = recoveryCodeOf(Uint8Array.from([0, 1, 17, 18, 24, 31, 32, 64, 255, 9]));
    expect(code).toMatch(/^[0-9A-Z]{5}-[0-9A-Z]{5}$/);
    expect(recoveryCode(code.toLowerCase().replace("-", " "))).toBe(code);
    expect(recoveryCode(code.replaceAll("0", "o").replaceAll("1", "l"))).toBe(code);
    for (const typed of ["", "ABCDE", `${code}0`, code.replace("-", "–"), "UUUUU-UUUUU", "ı2345-67890"])
      expect(recoveryCode(typed)).toBeNull();
  });
});

describe("passwords", () => {
  it("have 12 to 128 characters, whatever they weigh, and are the same however they are composed", () => {
    expect(passwordFault("x".repeat(11))).toMatch(/at least 12/);
    expect(passwordFault("x".repeat(12))).toBeNull();
    expect(passwordFault("😀".repeat(11))).toMatch(/at least 12/);
    expect(passwordFault("😀".repeat(128))).toBeNull();
    expect(passwordFault("x".repeat(129))).toMatch(/at most 128/);
    expect(passwordFault(`${"x".repeat(12)}\0`)).toMatch(/control/);
    expect(passwordFault(`${"x".repeat(12)}\ud800`)).toMatch(/control/);
    expect(normalPassword("Ångström")).toBe(normalPassword("Ångström"));
  });
});

describe("what somebody may do", () => {
  it("is bound by their role, whatever was asked for", () => {
    expect(scopesWithin("owner", ["admin"])).toEqual(["read", "write", "admin"]);
    expect(scopesWithin("editor", ["admin"])).toEqual(["read", "write"]);
    expect(scopesWithin("editor", ["read"])).toEqual(["read"]);
    expect(scopesWithin("viewer", ["write"])).toEqual([]);
  });
});

describe("tokens", () => {
  it("are told from everything else by their form", () => {
    expect(isToken(tokenOf(new Uint8Array(32).fill(255)))).toBe(true);
    for (const text of ["", "a", `${"a".repeat(42)}+`, "a".repeat(44)]) expect(isToken(text)).toBe(false);
    expect(() => tokenOf(new Uint8Array(31))).toThrow(RangeError);
  });
});

describe("an invitation", () => {
  const DAY_MS = 86_400_000;
  const made = { sentAt: null, expiresAt: 7 * DAY_MS, verifiedAt: null, acceptedAt: null, revokedAt: null };

  it("is approved, invited, verified and active in turn, or expires on the way", () => {
    expect(invitationState(made, 0)).toBe("approved");
    expect(invitationState({ ...made, sentAt: 1 }, 1)).toBe("invited");
    expect(invitationState({ ...made, sentAt: 1 }, 7 * DAY_MS)).toBe("expired");
    const verified = { ...made, sentAt: 1, verifiedAt: 2 };
    expect(invitationState(verified, 3)).toBe("verified");
    expect(invitationState(verified, 2 + 30 * 60_000)).toBe("expired");
    expect(invitationState({ ...verified, acceptedAt: 3 }, 9 * DAY_MS)).toBe("active");
    expect(invitationState({ ...made, revokedAt: 3 }, 4)).toBe("revoked");
  });
});

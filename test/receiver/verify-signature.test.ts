import { describe, expect, test } from "vitest";
import { identityHeaders } from "../../src/domain/webhooks/plain-headers.ts";
import { signatureHeaders } from "../../src/domain/webhooks/signature.ts";
import { SignatureError, type VerifyOptions, verifySignature } from "../../src/receiver/verify-signature.ts";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OTHER = "whsec_HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const BODY = '{"event":"signal.failed"}';
const NOW_MS = 1_769_851_800_000;
const headers = (secret = SECRET, previous: string | null = null): Record<string, string> => ({
  ...identityHeaders("evt_1", NOW_MS),
  ...signatureHeaders({ secret, previous }, "evt_1", NOW_MS, BODY),
});
const codeOf = (given: Parameters<typeof verifySignature>[1], options: VerifyOptions = {}, body = BODY) => {
  try {
    verifySignature(body, given, SECRET, { nowMs: NOW_MS, ...options });
    return "verified";
  } catch (error) {
    if (error instanceof SignatureError) return error.code;
    throw error;
  }
};

describe("a request", () => {
  test("of the service verifies, as text and as bytes, with headers of every kind and case", () => {
    const expected = { scheme: "standard", id: "evt_1", sentAt: new Date(NOW_MS) };
    const plain = headers();
    const upper = Object.fromEntries(
      Object.entries(plain).map(([name, value]) => [name.toUpperCase(), [value]]),
    );
    for (const given of [plain, upper, new Headers(plain)])
      for (const body of [BODY, Buffer.from(BODY), new TextEncoder().encode(BODY)])
        expect(verifySignature(body, given, SECRET, { nowMs: NOW_MS })).toEqual(expected);
  });

  test("verifies under either secret while one replaces another, on either side", () => {
    expect(codeOf(headers(OTHER, SECRET))).toBe("verified");
    expect(codeOf(headers(SECRET, OTHER))).toBe("verified");
    expect(verifySignature(BODY, headers(), [OTHER, SECRET], { nowMs: NOW_MS })).toMatchObject({
      id: "evt_1",
    });
  });

  test("with another body, another secret, or another id does not", () => {
    expect(codeOf(headers(), {}, `${BODY} `)).toBe("signature_mismatch");
    expect(codeOf(headers(OTHER))).toBe("signature_mismatch");
    expect(codeOf({ ...headers(), "webhook-id": "evt_2" })).toBe("signature_mismatch");
    expect(codeOf({ ...headers(), "webhook-timestamp": String(NOW_MS / 1000 + 1) })).toBe(
      "signature_mismatch",
    );
  });

  test("sent again after five minutes, or from a future, does not", () => {
    expect(codeOf(headers(), { nowMs: NOW_MS + 300_000 })).toBe("verified");
    expect(codeOf(headers(), { nowMs: NOW_MS + 301_000 })).toBe("timestamp_too_old");
    expect(codeOf(headers(), { nowMs: NOW_MS - 301_000 })).toBe("timestamp_too_new");
    expect(codeOf(headers(), { nowMs: NOW_MS + 301_000, toleranceSeconds: 600 })).toBe("verified");
  });

  test("without a signature, or with junk for one, does not", () => {
    expect(codeOf({})).toBe("signature_missing");
    expect(codeOf({ "x-service-signature": "" }, { allowUntimed: true })).toBe("signature_mismatch");
    for (const junk of ["", "v1,", "v2,abc", "x".repeat(100_000), "v1,é"])
      expect(codeOf({ ...headers(), "webhook-signature": junk })).toBe("signature_mismatch");
  });

  test("stripped of its time is not taken for one that has none, unless that is allowed", () => {
    const { "X-Service-Signature": service } = headers();
    const stripped = { "X-Service-Signature": service };
    expect(codeOf(stripped)).toBe("timestamp_missing");
    expect(codeOf({ ...headers(), "webhook-timestamp": undefined })).toBe("timestamp_missing");
    expect(codeOf(stripped, { allowUntimed: true })).toBe("verified");
    expect(codeOf(stripped, { allowUntimed: true }, `${BODY} `)).toBe("signature_mismatch");
  });

  test("is trusted by no empty secret, with which anybody can sign", () => {
    for (const secret of ["", "whsec_", [], [SECRET, ""]])
      for (const given of [headers(""), headers()])
        expect(() => verifySignature(BODY, given, secret, { nowMs: NOW_MS })).toThrow("no secret");
  });

  test("by the service's own header verifies while secrets change, too", () => {
    const { "X-Service-Signature": now, "X-Service-Signature-Next": next } = headers(SECRET, OTHER);
    const untimed = { "X-Service-Signature": now, "X-Service-Signature-Next": next };
    expect(codeOf(untimed, { allowUntimed: true })).toBe("verified");
  });
});

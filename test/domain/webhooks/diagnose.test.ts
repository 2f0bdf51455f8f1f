import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  diagnose,
  type Known,
  type Received,
  receivedHeaders,
} from "../../../src/domain/webhooks/diagnose.ts";
import { identityHeaders } from "../../../src/domain/webhooks/plain-headers.ts";
import {
  serviceSignature,
  signatureHeaders,
  standardSignature,
} from "../../../src/domain/webhooks/signature.ts";

const SECRET = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const OLD = "whsec_HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const FOREIGN = "whsec_AwMCAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const BODY = '{"event":"signal.failed","data":{"name":"Küche/Nord","b":1,"a":[1,2]}}';
const NOW_MS = 1_769_851_800_000;
const KNOWN: Known = {
  secret: SECRET,
  previous: null,
  previousIsValid: false,
  isSigning: true,
  sentBody: BODY,
};

const signed = (secret = SECRET, body = BODY, atMs = NOW_MS): Record<string, string> => ({
  ...identityHeaders("evt_1", atMs),
  ...signatureHeaders({ secret, previous: null }, "evt_1", atMs, body),
});
type Changes = Partial<Omit<Received, "headers">> & { headers?: Parameters<typeof receivedHeaders>[0] };
const received = ({ headers = signed(), ...changes }: Changes = {}): Received => ({
  headers: receivedHeaders(headers),
  body: BODY,
  computed: null,
  nowMs: NOW_MS,
  ...changes,
});
const codes = (request: Received, known: Partial<Known> = {}) => {
  const { verifies, findings } = diagnose(request, { ...KNOWN, ...known });
  return { verifies, codes: findings.map(({ code }) => code) };
};

test("a request as it was sent verifies, also while the secret changes", () => {
  expect(codes(received())).toEqual({ verifies: true, codes: ["verifies"] });
  const both = signatureHeaders({ secret: SECRET, previous: OLD }, "evt_1", NOW_MS, BODY);
  const headers = { ...identityHeaders("evt_1", NOW_MS), ...both };
  const known = { previous: OLD, previousIsValid: true };
  expect(codes(received({ headers }), known)).toEqual({ verifies: true, codes: ["verifies"] });
});

describe("a body that a framework wrote again is found out", () => {
  const value: unknown = JSON.parse(BODY);
  const python = '{"event": "signal.failed", "data": {"name": "K\\u00fcche/Nord", "b": 1, "a": [1, 2]}}';
  const php = '{"event":"signal.failed","data":{"name":"K\\u00fcche\\/Nord","b":1,"a":[1,2]}}';
  test.each([
    ["indented", JSON.stringify(value, null, 2)],
    ["by Python", python],
    ["by PHP", php],
    ["with a line break", `${BODY}\n`],
    ["with carriage returns", JSON.stringify(value, null, 2).replaceAll("\n", "\r\n")],
  ])("%s, from the request", (_, body) => {
    // The signature fits what was sent; the body pasted is the framework's.
    expect(codes(received({ body }))).toEqual({ verifies: false, codes: ["body_reencoded"] });
  });

  test.each([
    ["by Python", python],
    ["by PHP", php],
    ["indented", JSON.stringify(value, null, 2)],
    ["sorted", '{"data":{"a":[1,2],"b":1,"name":"Küche/Nord"},"event":"signal.failed"}'],
  ])("%s, from what the receiver computes", (_, body) => {
    const computed = serviceSignature(SECRET, body);
    expect(codes(received({ computed }))).toEqual({ verifies: true, codes: ["body_reencoded"] });
  });

  test("and one that was changed otherwise is shown where", () => {
    const { findings } = diagnose(received({ body: BODY.replace("failed", "fixed") }), KNOWN);
    expect(findings).toMatchObject([{ code: "body_differs" }]);
    expect(findings[0]?.message).toContain("gnal.failed");
  });
});

describe("a secret", () => {
  test("of another webhook, or of nobody, is told apart from a changed body", () => {
    expect(codes(received({ headers: signed(FOREIGN) })).codes).toEqual(["unknown_secret"]);
    expect(codes(received({ computed: serviceSignature(FOREIGN, BODY) })).codes).toEqual([
      "computed_unknown",
    ]);
  });

  test("from before the rotation is recognised, while it is valid and after", () => {
    for (const previousIsValid of [true, false]) {
      const known = { previous: OLD, previousIsValid };
      expect(codes(received({ headers: signed(OLD) }), known).codes).toEqual(["old_secret"]);
      expect(codes(received({ computed: serviceSignature(OLD, BODY) }), known).codes).toEqual(["old_secret"]);
    }
  });

  test("used as text where bytes belong, or as bytes where text does, is recognised", () => {
    const bytes = Buffer.from(SECRET.slice(6), "base64");
    const wrong = [
      `sha256=${createHmac("sha256", bytes).update(BODY).digest("hex")}`,
      `sha256=${createHmac("sha256", SECRET.slice(6)).update(BODY).digest("hex")}`,
      `v1,${createHmac("sha256", SECRET)
        .update(`evt_1.${NOW_MS / 1000}.${BODY}`)
        .digest("base64")}`,
    ];
    for (const computed of wrong) expect(codes(received({ computed })).codes).toEqual(["wrong_key"]);
  });
});

test("a signature in another form is recognised: without its prefix, in capitals, in base64", () => {
  const right = serviceSignature(SECRET, BODY);
  const hex = right.slice(7);
  const standard = standardSignature(SECRET, "evt_1", String(NOW_MS / 1000), BODY);
  for (const computed of [hex, Buffer.from(hex, "hex").toString("base64"), standard.slice(3)])
    expect(codes(received({ computed })).codes).toEqual(["prefix_missing"]);
  expect(codes(received({ computed: right.toUpperCase() })).codes).toEqual(["form"]);
  for (const computed of [right, standard])
    expect(codes(received({ computed })).codes).toEqual(["computed_right"]);
});

test("a clock that is off, and a time that is missing or none, are told", () => {
  expect(codes(received({ nowMs: NOW_MS + 400_000 })).codes).toEqual(["clock_off"]);
  expect(codes(received({ nowMs: NOW_MS - 400_000 })).codes).toEqual(["clock_off"]);
  const headers = { ...signed() };
  delete headers["webhook-timestamp"];
  expect(codes(received({ headers })).codes).toEqual(["timestamp_missing"]);
  expect(codes(received({ headers: { ...signed(), "webhook-timestamp": "soon" } })).codes).toEqual([
    "timestamp_invalid",
  ]);
});

test("headers as frameworks give them are understood: in any case, as lists, as CGI names them", () => {
  const entries = Object.entries(signed());
  for (const headers of [
    Object.fromEntries(entries.map(([name, value]) => [name.toUpperCase(), [value]])),
    Object.fromEntries(
      entries.map(([name, value]) => [`HTTP_${name.toUpperCase().replaceAll("-", "_")}`, value]),
    ),
  ])
    expect(codes(received({ headers }))).toEqual({ verifies: true, codes: ["verifies"] });
});

test("both schemes are looked at: one that fits hides nothing that is wrong with the other", () => {
  const of = (changes: Record<string, string>) =>
    codes(received({ headers: { ...signed(), ...changes } })).codes;
  expect(of({ "webhook-id": "" })).toEqual(["id_missing"]);
  expect(of({ "webhook-id": "evt_2" })).toEqual(["standard_mismatch"]);
  expect(of({ "webhook-timestamp": String(NOW_MS / 1000 - 400) })).toEqual([
    "standard_mismatch",
    "clock_off",
  ]);
  expect(of({ "X-Service-Signature": `sha256=${"0".repeat(64)}` })).toEqual(["service_mismatch"]);
  expect(of({ "X-Service-Signature": "" })).toEqual(["verifies"]);
  expect(of({ "webhook-signature": "" })).toEqual(["verifies"]);
});

test("a body that something has read before is found out", () => {
  expect(codes(received({ body: "" })).codes).toEqual(["body_empty"]);
});

test("a signature of the body alone is told from one with another key", () => {
  const key = Buffer.from(SECRET.slice(6), "base64");
  const mac = createHmac("sha256", key).update(BODY).digest();
  const { findings } = diagnose(received({ computed: `v1,${mac.toString("base64")}` }), KNOWN);
  expect(findings).toEqual([{ code: "wrong_key", message: expect.stringContaining("not the body alone") }]);
});

test("thousands of signatures and a body that nests without end cost little, and are no failure", () => {
  const many = Array.from({ length: 2_000 }, (_, n) => `v1,${n}`).join(" ");
  const body = JSON.stringify({ a: "x".repeat(190_000) });
  const before = performance.now();
  expect(codes(received({ body, headers: { ...signed(), "webhook-signature": many } })).verifies).toBe(false);
  // Hashed anew for each it takes minutes.
  expect(performance.now() - before).toBeLessThan(10_000);
  for (const deep of [
    "[".repeat(90_000) + "]".repeat(90_000),
    `${'{"a":'.repeat(30_000)}1${"}".repeat(30_000)}`,
  ])
    expect(codes(received({ body: deep })).codes).toEqual(["body_differs"]);
});

test("no signature at all is told, and whether signing is off", () => {
  const headers = identityHeaders("evt_1", NOW_MS);
  expect(codes(received({ headers })).codes).toEqual(["signature_missing"]);
  expect(codes(received({ headers }), { isSigning: false }).codes).toEqual(["signing_off"]);
});

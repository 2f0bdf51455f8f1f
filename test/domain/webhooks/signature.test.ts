import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { WebhookSecret } from "../../../schemas/webhook.ts";
import { identityHeaders } from "../../../src/domain/webhooks/plain-headers.ts";
import { generateWebhookSecret } from "../../../src/domain/webhooks/secret.ts";
import {
  serviceSignature,
  signatureHeaders,
  standardSignature,
} from "../../../src/domain/webhooks/signature.ts";

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
const BODY = '{"event":"signal.failed","name":"Küche ✓"}';
const AT_MS = 1_769_851_800_123;

describe("the service's own signature", () => {
  test("is the one that any HMAC tool makes of the raw body and the whole secret", () => {
    // printf %s '{"event":"signal.failed"}' | openssl dgst -sha256 -hmac 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    expect(serviceSignature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", '{"event":"signal.failed"}')).toBe(
      "sha256=e9cf98e3016f8fbef850206939263b79345329624addb66ddd81acd8a4291b76",
    );
  });

  test("is made of bytes, so that text and its UTF-8 sign alike", () => {
    expect(serviceSignature("whsec_a", BODY)).toBe(serviceSignature("whsec_a", Buffer.from(BODY)));
    expect(serviceSignature("whsec_a", BODY)).toBe(
      `sha256=${createHmac("sha256", Buffer.from("whsec_a")).update(Buffer.from(BODY)).digest("hex")}`,
    );
  });
});

describe("the standard signature", () => {
  test("is the specification's own example", () => {
    // https://github.com/standard-webhooks/standard-webhooks, libraries' shared test vector
    expect(
      standardSignature(
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "1614265330",
        '{"test": 2432232314}',
      ),
    ).toBe("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
  });

  test("is accepted by the official receiver, under the new secret and the old one, and under no other", () => {
    fc.assert(
      fc.property(bytes, bytes, bytes, fc.string({ unit: "binary" }), (now, before, other, text) => {
        const [secret, previous, wrong] = [now, before, other].map(generateWebhookSecret);
        if (secret === undefined || previous === undefined || wrong === undefined) throw new Error("three");
        fc.pre(new Set([secret, previous, wrong]).size === 3);
        const body = JSON.stringify({ text });
        const atMs = Date.now();
        const headers = {
          ...identityHeaders("evt_1", atMs),
          ...signatureHeaders({ secret, previous }, "evt_1", atMs, body),
        };
        for (const known of [secret, previous])
          expect(new Webhook(known).verify(body, headers)).toEqual({ text });
        expect(() => new Webhook(wrong).verify(body, headers)).toThrow(/No matching signature/);
        expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/No matching signature/);
      }),
      { numRuns: 50 },
    );
  });
});

describe("while two secrets are valid", () => {
  test("receivers that know only the old one go on", () => {
    const headers = signatureHeaders({ secret: "whsec_new", previous: "whsec_old" }, "evt_1", AT_MS, BODY);
    expect(headers).toEqual({
      "X-Service-Signature": serviceSignature("whsec_old", BODY),
      "X-Service-Signature-Next": serviceSignature("whsec_new", BODY),
      "webhook-signature": ["whsec_new", "whsec_old"]
        .map((secret) => standardSignature(secret, "evt_1", "1769851800", BODY))
        .join(" "),
    });
  });

  test("and with one, no next signature is sent", () => {
    const headers = signatureHeaders({ secret: "whsec_new", previous: null }, "evt_1", AT_MS, BODY);
    expect(Object.keys(headers)).toEqual(["X-Service-Signature", "webhook-signature"]);
    expect(headers["X-Service-Signature"]).toBe(serviceSignature("whsec_new", BODY));
  });
});

test("a generated secret is one, and names 32 bytes", () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const secret = generateWebhookSecret(random);
      expect(WebhookSecret.parse(secret)).toBe(secret);
      expect(Buffer.from(secret.slice(6), "base64")).toEqual(Buffer.from(random));
    }),
  );
  for (const text of ["", "whsec_", "whsec_short", "abc", `whsec_${"a".repeat(200)}`])
    expect(WebhookSecret.safeParse(text).success).toBe(false);
});

import { createHmac } from "node:crypto";
import type { BodyVariant } from "./body-variants.ts";
import { standardKeyOf } from "./secret.ts";
import { serviceSignature, standardSignature } from "./signature.ts";

export interface Key {
  readonly name: "current" | "previous";
  readonly secret: string;
}

/** What was signed beside the body; empty where a request does not say. */
interface Signed {
  readonly id: string;
  readonly timestamp: string;
}

/** Each way to sign, right or wrong, by which a value can be recognised. */
const signaturesOf = ({ secret }: Key, { body }: BodyVariant, { id, timestamp }: Signed) => {
  const hex = (key: string | Buffer) => `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
  const base64 = (key: string | Buffer, before: string) =>
    `v1,${createHmac("sha256", key).update(before).update(body).digest("base64")}`;
  return [
    { way: "service", value: serviceSignature(secret, body) },
    { way: "standard", value: standardSignature(secret, id, timestamp, body) },
    { way: "service_decoded_key", value: hex(standardKeyOf(secret)) },
    { way: "service_stripped_key", value: hex(secret.replace(/^whsec_/, "")) },
    { way: "standard_whole_key", value: base64(secret, `${id}.${timestamp}.`) },
    { way: "standard_body_alone", value: base64(standardKeyOf(secret), "") },
  ] as const;
};
type Way = ReturnType<typeof signaturesOf>[number]["way"];

/** What is wrong with each way; null for those that are right. */
export const WAYS: Readonly<Record<Way, string | null>> = {
  service: null,
  standard: null,
  service_decoded_key:
    "X-Service-Signature is keyed with the whole secret as text, `whsec_` included, not with the bytes that it encodes.",
  service_stripped_key:
    "X-Service-Signature is keyed with the whole secret as text: leave `whsec_` where it is.",
  standard_whole_key:
    "webhook-signature is keyed with the bytes that the base64 after `whsec_` encodes, not with the text.",
  standard_body_alone:
    "webhook-signature signs `<webhook-id>.<webhook-timestamp>.<body>`, not the body alone.",
};

/** By which secret, over which body and in which way a value was made, and how it is written when it is written right. */
export interface Match {
  readonly key: Key;
  readonly variant: BodyVariant;
  readonly way: Way;
  readonly value: string;
}

const HEX = /^(sha256=)?[0-9a-f]{64}$/i;

/** Hex or base64 of the same bytes are the same, whatever stands before them. */
const bytesOf = (value: string): string => {
  const bare = value.trim().replace(/^(sha256=|v1,)/i, "");
  return HEX.test(bare) ? bare.toLowerCase() : Buffer.from(bare, "base64").toString("hex");
};

const differing = (variants: readonly BodyVariant[]): BodyVariant[] => {
  const byBody = new Map<string, BodyVariant>();
  for (const variant of variants) if (!byBody.has(variant.body)) byBody.set(variant.body, variant);
  return [...byBody.values()];
};

/**
 * Makes what says of a signature how it came about; null when it is none of the ways. All is hashed once, here, so that
 * it costs no more to ask for many.
 */
export const recogniser = (
  keys: readonly Key[],
  variants: readonly BodyVariant[],
  signed: Signed,
): ((given: string) => Match | null) => {
  const known = new Map<string, Match[]>();
  for (const variant of differing(variants))
    for (const key of keys)
      for (const { way, value } of signaturesOf(key, variant, signed)) {
        const bytes = bytesOf(value);
        known.set(bytes, [...(known.get(bytes) ?? []), { key, variant, way, value }]);
      }
  return (given) => {
    const matches = known.get(bytesOf(given)) ?? [];
    // Where two mistakes come to the same bytes, how it is written says which was meant.
    const alike = matches.find(({ value }) => HEX.test(value) === HEX.test(given.trim()));
    return alike ?? matches[0] ?? null;
  };
};

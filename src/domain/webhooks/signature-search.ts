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
  const whole = createHmac("sha256", secret).update(`${id}.${timestamp}.`).update(body);
  return [
    { way: "service", value: serviceSignature(secret, body) },
    { way: "standard", value: standardSignature(secret, id, timestamp, body) },
    { way: "service_decoded_key", value: hex(standardKeyOf(secret)) },
    { way: "service_stripped_key", value: hex(secret.replace(/^whsec_/, "")) },
    { way: "standard_whole_key", value: `v1,${whole.digest("base64")}` },
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
};

/** By which secret, over which body and in which way a value was made, and how it is written when it is written right. */
export interface Match {
  readonly key: Key;
  readonly variant: BodyVariant;
  readonly way: Way;
  readonly value: string;
}

/** Hex or base64 of the same bytes are the same, whatever stands before them. */
const bytesOf = (value: string): string => {
  const bare = value.trim().replace(/^(sha256=|v1,)/i, "");
  return /^[0-9a-f]{64}$/i.test(bare) ? bare.toLowerCase() : Buffer.from(bare, "base64").toString("hex");
};

/** Says what a signature is, however it came about; null when it is none of these. */
export const recognise = (
  given: string,
  keys: readonly Key[],
  variants: readonly BodyVariant[],
  signed: Signed,
): Match | null => {
  const wanted = bytesOf(given);
  for (const variant of variants)
    for (const key of keys)
      for (const { way, value } of signaturesOf(key, variant, signed))
        if (bytesOf(value) === wanted) return { key, variant, way, value };
  return null;
};

const PREFIX = "whsec_";
export const WEBHOOK_SECRET_BYTES = 32;

/** `whsec_` and base64 of random bytes, as Standard Webhooks write a symmetric secret. */
export const generateWebhookSecret = (randomBytes: Uint8Array): string => {
  if (randomBytes.length < WEBHOOK_SECRET_BYTES)
    throw new RangeError(`a secret needs ${WEBHOOK_SECRET_BYTES} bytes, not ${randomBytes.length}`);
  return PREFIX + Buffer.from(randomBytes.subarray(0, WEBHOOK_SECRET_BYTES)).toString("base64");
};

/** The bytes that Standard Webhooks signs with: the base64 after the prefix, which may be missing. */
export const standardKeyOf = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, "base64");

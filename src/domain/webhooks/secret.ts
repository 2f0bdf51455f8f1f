const PREFIX = "whsec_";
export const WEBHOOK_SECRET_BYTES = 32;
/** A secret that a user brings along: what Standard Webhooks allows, 24 to 64 bytes in base64. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;

/** `whsec_` and base64 of random bytes, as Standard Webhooks write a symmetric secret. */
export const generateWebhookSecret = (randomBytes: Uint8Array): string => {
  if (randomBytes.length < WEBHOOK_SECRET_BYTES)
    throw new RangeError(`a secret needs ${WEBHOOK_SECRET_BYTES} bytes, not ${randomBytes.length}`);
  return PREFIX + Buffer.from(randomBytes.subarray(0, WEBHOOK_SECRET_BYTES)).toString("base64");
};

export const isWebhookSecret = (text: string): boolean => SECRET.test(text);

/** The bytes that Standard Webhooks signs with: the base64 after the prefix, which may be missing. */
export const standardKeyOf = (secret: string): Buffer =>
  Buffer.from(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret, "base64");

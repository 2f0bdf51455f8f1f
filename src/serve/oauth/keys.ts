import { generateKeyPairSync } from "node:crypto";
import { calculateJwkThumbprint } from "jose";
import { z } from "zod";
import type { Entropy } from "../../ports/clock.ts";
import type { OAuthStore } from "../../ports/oauth.ts";

const COOKIE_KEY_BYTES = 32;

export const SIGNING_ALGORITHM = "ES256";

const PublicKey = z.object({
  kid: z.string(),
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  use: z.literal("sig"),
  alg: z.literal(SIGNING_ALGORITHM),
});
const Keys = z.object({ signing: PublicKey.extend({ d: z.string() }), cookies: z.string() });
/** What tokens are signed with, as a JSON Web Key (RFC 7517), and what the cookies of a consent are. */
export type OAuthKeys = z.infer<typeof Keys>;

const make = async (entropy: Entropy): Promise<OAuthKeys> => {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const key = privateKey.export({ format: "jwk" });
  const kid = await calculateJwkThumbprint(key);
  const signing = { ...key, kid, use: "sig", alg: SIGNING_ALGORITHM };
  const cookies = Buffer.from(entropy.bytes(COOKIE_KEY_BYTES)).toString("base64url");
  return Keys.parse({ signing, cookies });
};

/** Made once, by whoever comes first. */
export const loadKeys = async (store: Pick<OAuthStore, "keys">, entropy: Entropy): Promise<OAuthKeys> =>
  Keys.parse(JSON.parse(await store.keys(async () => JSON.stringify(await make(entropy)))));

/** Of the keys, what everybody may know. */
export const publicKeyOf = ({ signing }: OAuthKeys): z.infer<typeof PublicKey> => PublicKey.parse(signing);

import type { Entropy } from "../../ports/clock.ts";
import type { Facts } from "../../ports/control-store.ts";
import { createSealer, SealedDataError, type Sealer } from "./sealed.ts";

/** The fact, base64, that opens under the key of the installation only. */
export const KEY_CHECK = "secret_key_check";

const opens = (sealer: Sealer, check: string): boolean => {
  try {
    sealer.open(KEY_CHECK, Buffer.from(check, "base64"));
    return true;
  } catch (error) {
    if (error instanceof SealedDataError) return false;
    throw error;
  }
};

/** Whether `secretKey` is the one under which the installation with this check has sealed its secrets. */
export const isSealedUnder = (secretKey: Uint8Array, check: string, entropy: Entropy): boolean =>
  opens(createSealer(secretKey, entropy), check);

/** A key that is not the one the secrets were sealed with is told at the start, not at the first source. */
export const checkSecretKey = async (facts: Facts, sealer: Sealer): Promise<void> => {
  const mine = Buffer.from(sealer.seal(KEY_CHECK, KEY_CHECK)).toString("base64");
  if (opens(sealer, await facts.ensure(KEY_CHECK, mine))) return;
  throw new SealedDataError("SECRET_KEY is not the one that this control data was sealed with");
};

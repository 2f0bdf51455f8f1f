import { Secret, TOTP } from "otpauth";
import { totpCode } from "../domain/access/one-time-code.ts";

const ISSUER = "Signal Optimization Service";
const STEP_MS = 30_000;
/** Clocks of telephones may be off by one step. */
const WINDOW = 1;
const SECRET_BYTES = 20;

/** As RFC 6238 has it, and as every app reads it: SHA-1, six digits, 30 s. */
const totpOf = (secret: string, label = ""): TOTP =>
  new TOTP({ issuer: ISSUER, label, secret: Secret.fromBase32(secret), period: STEP_MS / 1_000 });

/** In base 32. `bytes` gives strong chance. */
export const newTotpSecret = (bytes: (count: number) => Uint8Array): string =>
  new Secret({ buffer: Uint8Array.from(bytes(SECRET_BYTES)).buffer }).base32;

/** What an app reads from a QR code (Google's Key URI format). */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/** The step, counted in 30 s since 1970, that the code typed is of; null: of none that counts now. */
export const stepOfCode = (secret: string, typed: string, nowMs: number): number | null => {
  const code = totpCode(typed);
  if (code === null) return null;
  const delta = totpOf(secret).validate({ token: code, timestamp: nowMs, window: WINDOW });
  return delta === null ? null : Math.floor(nowMs / STEP_MS) + delta;
};

const TOTP = /^\d{6}$/;
/** Crockford's base 32, in two halves, so that it can be read out; some 50 bits. */
const RECOVERY = /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/;
const ASCII = /^[\x20-\x7e]*$/;
const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
export const RECOVERY_CODE_BYTES = 10;

/** What people type between digits, as apps show them in groups: spaces and dashes of ASCII only. */
const withoutGaps = (text: string): string => text.replaceAll(/[ -]/g, "");

/** The six digits of a code from an app; null: it is none. */
export const totpCode = (text: string): string | null => {
  const code = withoutGaps(text.trim());
  return TOTP.test(code) ? code : null;
};

/** `bytes`: RECOVERY_CODE_BYTES of strong chance; each gives a character. */
export const recoveryCodeOf = (bytes: Uint8Array): string => {
  if (bytes.length !== RECOVERY_CODE_BYTES)
    throw new RangeError(`a recovery code is made of ${RECOVERY_CODE_BYTES} bytes`);
  const characters = Array.from(bytes, (byte) => ALPHABET.charAt(byte & 31)).join("");
  return `${characters.slice(0, 5)}-${characters.slice(5)}`;
};

/** A recovery code as it was given, however it was typed (Crockford: I and L are 1, O is 0); null: it is none. */
export const recoveryCode = (text: string): string | null => {
  if (!ASCII.test(text)) return null;
  const typed = withoutGaps(text.trim()).toUpperCase().replaceAll(/[IL]/g, "1").replaceAll("O", "0");
  const code = `${typed.slice(0, 5)}-${typed.slice(5)}`;
  return RECOVERY.test(code) ? code : null;
};

import { PASSWORD_MAX, PASSWORD_MIN } from "./limits.ts";

/** What is hashed: the same however the keyboard composes an accent (NIST SP 800-63B, section 3.1.1.2). */
export const normalPassword = (text: string): string => text.normalize("NFKC");

/** Why a text can be nobody's password, whatever it says; null: it may be one. Length counts characters, not bytes. */
export const passwordFault = (text: string): string | null => {
  const length = [...normalPassword(text)].length;
  if (length < PASSWORD_MIN) return `must have at least ${PASSWORD_MIN} characters`;
  if (length > PASSWORD_MAX) return `must have at most ${PASSWORD_MAX} characters`;
  if (/\p{Cc}/u.test(text) || !text.isWellFormed()) return "must have no control characters";
  return null;
};

import { SET_PASSWORD_MS } from "./limits.ts";

/** What of an invitation is written down. Unix ms; null: not yet. */
export interface InvitationTimes {
  /** When its newest e-mail was taken by a mail server. */
  readonly sentAt: number | null;
  /** When its newest link ends. */
  readonly expiresAt: number;
  readonly verifiedAt: number | null;
  readonly acceptedAt: number | null;
  readonly revokedAt: number | null;
}

export type InvitationState = "approved" | "invited" | "verified" | "active" | "expired" | "revoked";

/**
 * approved → invited (the mail server took the e-mail) → verified (the link was followed) → active (the password is
 * set); a link, or a proof without a password, that grew too old makes it `expired`, until another e-mail is sent.
 */
export const invitationState = (times: InvitationTimes, now: number): InvitationState => {
  const { sentAt, expiresAt, verifiedAt, acceptedAt, revokedAt } = times;
  if (acceptedAt !== null) return "active";
  if (revokedAt !== null) return "revoked";
  if (verifiedAt !== null) return now < verifiedAt + SET_PASSWORD_MS ? "verified" : "expired";
  if (now >= expiresAt) return "expired";
  return sentAt === null ? "approved" : "invited";
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** So many of something in so long. */
export interface Limit {
  readonly max: number;
  readonly windowMs: number;
}

/** From an access request to its answer. */
export const REVIEW_MS = DAY_MS;
export const INVITATION_MS = 7 * DAY_MS;
/** From the proof of an e-mail address to the password. */
export const SET_PASSWORD_MS = 30 * MINUTE_MS;
export const RESET_MS = 30 * MINUTE_MS;
export const EMAIL_CHANGE_MS = HOUR_MS;
export const CHALLENGE_MS = 5 * MINUTE_MS;
export const CHALLENGE_TRIES = 5;
/** After the last request, and after sign-in. */
export const SESSION_IDLE_MS = DAY_MS;
export const SESSION_MS = 14 * DAY_MS;
/** How long somebody who has just proved who they are may do what is dangerous. */
export const SUDO_MS = 10 * MINUTE_MS;

/** For how many days the audit log is kept. */
export const AUDIT_DAYS = 180;
/** Invitations, after they were accepted, revoked or expired. */
export const INVITATIONS_KEPT_MS = 180 * DAY_MS;
/** From the way to an outside provider to the way back. */
export const OUTSIDE_MS = 10 * MINUTE_MS;
/** Of one person, at outside providers. */
export const IDENTITIES_MAX = 10;
/** Of OAuth: from the consent to the token, and how long each token holds. */
export const AUTHORIZATION_CODE_MS = MINUTE_MS;
export const ACCESS_TOKEN_MS = 10 * MINUTE_MS;
export const REFRESH_TOKEN_MS = 30 * DAY_MS;
/** A device waits so long for somebody to type its code, and a browser for its consent. */
export const DEVICE_CODE_MS = 10 * MINUTE_MS;
export const CONSENT_MS = 30 * MINUTE_MS;

/** Notices are worth something for days. */
export const NOTICE_MS = 7 * DAY_MS;

/** Of what a browser calls itself. */
export const USER_AGENT_MAX = 300;

export const PASSWORD_MIN = 12;
export const PASSWORD_MAX = 128;
export const RECOVERY_CODES = 10;

/** Links to one address: one a minute, and a few a day. */
export const LINK_LIMITS: readonly Limit[] = [
  { max: 1, windowMs: MINUTE_MS },
  { max: 5, windowMs: DAY_MS },
];
/** Passwords that somebody forgot, from one address of the network: each is an e-mail to whomever it names. */
export const RESETS_PER_ADDRESS: Limit = { max: 20, windowMs: HOUR_MS };
export const REQUESTS_PER_EMAIL: Limit = { max: 3, windowMs: DAY_MS };
export const REQUESTS_PER_ADDRESS: Limit = { max: 10, windowMs: HOUR_MS };
/** Failures to sign in: of one person, and from one address of the network. */
export const FAILURES_PER_PERSON: Limit = { max: 10, windowMs: 15 * MINUTE_MS };
export const FAILURES_PER_ADDRESS: Limit = { max: 50, windowMs: 15 * MINUTE_MS };
/** What a network may begin, before anybody is known to have sent it: each waits in control data. */
export const OAUTH_BEGINNINGS: Limit = { max: 600, windowMs: 10 * MINUTE_MS };
/** Codes of devices that somebody typed, and that are none. */
export const WRONG_USER_CODES: Limit = { max: 10, windowMs: 15 * MINUTE_MS };

import type { AccountId } from "../../../schemas/common.ts";
import type { Email } from "../../../schemas/email.ts";

/** So many e-mails at once, and one more whenever `everyMs` has passed. */
export interface Allowance {
  readonly burst: number;
  readonly everyMs: number;
}

const MINUTE_MS = 60_000;
/** Never more than 20 in an hour, wherever it begins; when they are used up, one every six minutes. */
export const ADDRESS_ALLOWANCE: Allowance = { burst: 10, everyMs: 6 * MINUTE_MS };
/** Never more than 200 in an hour. */
export const ACCOUNT_ALLOWANCE: Allowance = { burst: 100, everyMs: 0.6 * MINUTE_MS };

/** Whose e-mails are counted: an address's, whoever writes to it, and an account's, whomever it writes to. */
export const MAIL_LIMITS = ["address", "account"] as const;
export interface Spender {
  readonly limit: (typeof MAIL_LIMITS)[number];
  readonly name: string;
  readonly allowance: Allowance;
}
export const addressSpender = (recipient: Email): Spender => ({
  limit: "address",
  name: `address ${recipient}`,
  allowance: ADDRESS_ALLOWANCE,
});
export const accountSpender = (accountId: AccountId): Spender => ({
  limit: "account",
  name: `account ${accountId}`,
  allowance: ACCOUNT_ALLOWANCE,
});

/**
 * What was spent, in one number: when all is there again (Unix ms), by the generic cell rate algorithm (ITU-T I.371).
 * One that was never heard of has spent nothing: 0.
 */
export type Spent = number;

/** From then on (Unix ms) there is one to be had. */
export const readyAt = ({ burst, everyMs }: Allowance, spent: Spent): number => spent - (burst - 1) * everyMs;

/**
 * One that is twice as far away as all can be: the clock was set back. One that is little further away is of a process
 * whose clock is ahead.
 */
const known = ({ burst, everyMs }: Allowance, spent: Spent, nowMs: number): Spent =>
  spent > nowMs + 2 * burst * everyMs ? nowMs : Math.max(spent, nowMs);

/** How many may be sent now. */
export const leftOf = (allowance: Allowance, spent: Spent, nowMs: number): number =>
  Math.max(0, allowance.burst - Math.ceil((known(allowance, spent, nowMs) - nowMs) / allowance.everyMs));

export const spend = (allowance: Allowance, spent: Spent, nowMs: number, count: number): Spent =>
  known(allowance, spent, nowMs) + count * allowance.everyMs;

import { AuthorizationResponseError, ClientError, ResponseBodyError } from "openid-client";
import type { OutsideAnswer } from "../../ports/outside-providers.ts";

export type Failed = Exclude<OutsideAnswer["state"], "vouched">;

/** The person said no, or could not be asked (RFC 6749, section 4.1.2.1; OpenID Connect Core 1.0, section 3.1.2.6). */
const DECLINED = new Set([
  "access_denied",
  "login_required",
  "consent_required",
  "interaction_required",
  "account_selection_required",
]);
/** The library's names for what is wrong with an answer, or with a token. */
const REFUSED = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_KEY_SELECTION_FAILED",
  "OAUTH_PARSE_ERROR",
  "OAUTH_UNSUPPORTED_OPERATION",
]);

export const failureOf = (error: unknown): Failed => {
  if (error instanceof AuthorizationResponseError)
    return DECLINED.has(error.error) ? "declined" : "unavailable";
  // The code was used before, is too old, or another client's.
  if (error instanceof ResponseBodyError) return error.error === "invalid_grant" ? "refused" : "unavailable";
  return error instanceof ClientError && REFUSED.has(error.code ?? "") ? "refused" : "unavailable";
};

const FAR_TEXT_MAX = 60;

const messageOf = (error: Error): string => {
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `the provider answered ${error.error.slice(0, FAR_TEXT_MAX)}`;
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
};

/** For the log. Errors of the library carry tokens along, and what people are called: only words of its own are told. */
export const reasonOf = (error: unknown): string =>
  error instanceof Error ? messageOf(error) : "something else was thrown";

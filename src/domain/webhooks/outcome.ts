/** How an attempt can fail before there is a status, each with what the owner of the endpoint is told. */
export const ATTEMPT_FAILURES = {
  address_refused: "The address is not one that webhooks may be sent to",
  dns_failed: "The name could not be resolved",
  connection_refused: "Nothing listens at the address",
  connection_failed: "The connection could not be made",
  connection_timeout: "The connection took too long",
  tls_failed: "TLS failed: see the detail",
  connection_closed: "The endpoint closed the connection before it had answered",
  response_invalid: "What came back is not HTTP",
  timeout: "The endpoint did not answer within 15 seconds",
} as const;
export type AttemptFailure = keyof typeof ATTEMPT_FAILURES;

/** What came of an attempt: an HTTP status, or why there is none. */
export type AttemptResult =
  | { readonly status: number }
  | { readonly failure: AttemptFailure; readonly detail: string };

/** `done`: delivered. `retry`: by the schedule. `disable`: the endpoint wants no more, ever. */
export type Outcome = "done" | "retry" | "disable";

const GONE = 410;

/** The one table: any 2xx is success, 410 disables, all else (redirects and 401 included) is tried again. */
export const outcomeOf = (result: AttemptResult): Outcome => {
  if (!("status" in result)) return "retry";
  if (result.status >= 200 && result.status < 300) return "done";
  return result.status === GONE ? "disable" : "retry";
};

const HINTS: Readonly<Record<number, string>> = {
  400: "The endpoint finds the request malformed.",
  401: "The endpoint does not accept the signature: check the secret that it verifies with.",
  403: "The endpoint refuses: check its access rules, or a firewall before it.",
  404: "There is nothing at this path: check the URL.",
  405: "The endpoint does not take POST: check the URL.",
  408: "The endpoint gave up waiting.",
  410: "The endpoint is gone for good; the webhook has been disabled.",
  413: "The endpoint finds the body too large.",
  415: "The endpoint does not take application/json.",
  429: "The endpoint asks for fewer requests: set `ratePerSecond`.",
};

/** What an attempt came to, in a sentence for the owner of the endpoint. */
export const explain = (result: AttemptResult): string => {
  if ("failure" in result) {
    const words = ATTEMPT_FAILURES[result.failure];
    return result.detail === "" ? `${words}.` : `${words}: ${result.detail}.`;
  }
  const { status } = result;
  if (status >= 200 && status < 300) return "Delivered.";
  const known = HINTS[status];
  if (known !== undefined) return known;
  if (status >= 300 && status < 400)
    return "The endpoint redirects, which is not followed: set its final URL.";
  if (status >= 500) return "The endpoint failed.";
  return `The endpoint answered ${status}.`;
};

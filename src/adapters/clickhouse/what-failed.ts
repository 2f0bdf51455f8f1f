import { ClickHouseError } from "@clickhouse/client";

const TEXT_MAX = 300;

/** Node's codes for a certificate that is not accepted, for a handshake that fails, for an answer that is no HTTP. */
const UNTRUSTED =
  /^(?:CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|ERR_TLS_)/;
const NO_TLS = /^(?:EPROTO|ERR_SSL_|ERR_OSSL_)/;
const NO_HTTP = /^HPE_/;

/** The code of a system error of the connection; null where there is none. */
export const systemCodeOf = (error: unknown): string | null => {
  if (!(error instanceof Error) || error instanceof ClickHouseError || !("code" in error)) return null;
  return String(error.code);
};
/** The client's own words for a request that took too long. */
export const isTimeout = (error: unknown): boolean =>
  error instanceof Error && error.message === "Timeout error.";

/** No answer came (a system error of the connection, or the client's deadline): the request may have been carried out. */
export const isUnanswered = (error: unknown): boolean => systemCodeOf(error) !== null || isTimeout(error);

/** What kind of failure it is. */
export type Failure = "clickhouse" | "untrusted" | "no_tls" | "unreachable" | "not_clickhouse";

export const failureOf = (error: unknown): Failure => {
  if (error instanceof ClickHouseError) return "clickhouse";
  const code = systemCodeOf(error) ?? "";
  if (UNTRUSTED.test(code)) return "untrusted";
  if (NO_TLS.test(code)) return "no_tls";
  if (NO_HTTP.test(code)) return "not_clickhouse";
  return isUnanswered(error) ? "unreachable" : "not_clickhouse";
};

const firstLine = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return (text.split("\n")[0] ?? "").trim().slice(0, TEXT_MAX);
};

/** What was said of an error, in one line; rows and queries are not in it. */
export const saidOf = (error: unknown): string => {
  const code = systemCodeOf(error);
  const text = firstLine(error);
  if (code !== null) return text.includes(code) ? text : `${text} (${code})`.trim();
  return error instanceof ClickHouseError ? `code ${error.code}: ${text}` : text;
};

import { STATUS_CODES } from "node:http";

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

/** `ws` says this of a message beyond `maxPayload`, and closes the connection. */
export const isTooLarge = (error: unknown): boolean => codeOf(error) === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH";

const WORDS: Record<string, string> = {
  ENOTFOUND: "its name cannot be resolved (ENOTFOUND)",
  EAI_AGAIN: "its name cannot be resolved now (EAI_AGAIN)",
  ECONNREFUSED: "nothing listens there (connection refused)",
  ECONNRESET: "it closed the connection at once (connection reset)",
  EPIPE: "it closed the connection",
  ETIMEDOUT: "it does not answer (timed out)",
  EHOSTUNREACH: "there is no way to it (host unreachable)",
  ENETUNREACH: "there is no way to it (network unreachable)",
  UND_ERR_CONNECT_TIMEOUT: "it does not answer (timed out)",
  UND_ERR_SOCKET: "it closed the connection in the middle",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "it closed the connection in the middle",
  EPROTO: "TLS: it does not speak TLS, or not a version we know",
  CERT_HAS_EXPIRED: "TLS: its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "TLS: its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "TLS: its certificate comes from an authority that is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "TLS: its certificate comes from an authority that is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "TLS: its certificate comes from an authority that is not trusted",
  ERR_TLS_CERT_ALTNAME_INVALID: "TLS: its certificate is for another name",
};

/** What went wrong with a connection, in plain words without secrets: the path and query of an address are never shown. */
export const failureWords = (error: unknown): string => {
  const code = codeOf(error);
  const known = WORDS[code];
  if (known !== undefined) return known;
  if (code.startsWith("HPE_")) return `it broke the HTTP protocol (${code})`;
  if (code.startsWith("WS_ERR_")) return `it broke the WebSocket protocol (${code})`;
  if (code.startsWith("ERR_SSL_")) return `TLS: it does not speak TLS as we do (${code})`;
  return error instanceof Error ? error.message : String(error);
};

/** Why an HTTP answer is of no use. Redirects are not followed: their target was never checked. */
export const statusWords = (status: number): string =>
  status >= 300 && status < 400
    ? `it redirects (HTTP ${status}), and redirects are not followed: give the address that it redirects to`
    : `it answered HTTP ${status} ${STATUS_CODES[status] ?? ""}`.trimEnd();

export const refusalWords = (status: number | undefined): string =>
  `it refused the WebSocket handshake with HTTP ${status ?? "?"} ${STATUS_CODES[status ?? 0] ?? ""}`.trimEnd();

/** A WebSocket close code (RFC 6455, 7.4.1) with the far end's own words. */
export const closeWords = (code: number, reason: string): string => {
  if (code === 1006) return "the connection broke without a close";
  if (code === 1005) return "it closed the connection without a reason";
  return `it closed the connection with code ${code}${reason === "" ? "" : `: ${reason.slice(0, 123)}`}`;
};

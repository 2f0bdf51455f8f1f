import { AttemptError, codeOf } from "./attempt-error.ts";
import { farText } from "./far-text.ts";
import { AddressRefusedError } from "./guarded-lookup.ts";

/** How far a connection on its way has come. */
export type DialPhase = "name" | "connection" | "tls";

const NAMES_SHOWN_BYTES = 120;
const UNTRUSTED = "its certificate comes from an authority that is not trusted, or without those between";

const TLS_WORDS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  CERT_REVOKED: "its certificate has been revoked",
  DEPTH_ZERO_SELF_SIGNED_CERT: "its certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  ECONNRESET: "it closed the connection during the handshake",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "it does not speak TLS",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "it speaks no version of TLS from 1.2 on",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "it speaks no version of TLS from 1.2 on",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "it asks for a client certificate",
};

const altNames = (error: unknown): string => {
  const cert = error instanceof Error && "cert" in error ? error.cert : null;
  if (typeof cert !== "object" || cert === null || !("subjectaltname" in cert)) return "none";
  return farText(Buffer.from(String(cert.subjectaltname ?? "none")), true, NAMES_SHOWN_BYTES);
};

/** What is wrong with an endpoint's TLS, from the error that OpenSSL or Node makes of it. */
export const tlsWords = (error: unknown): string => {
  const code = codeOf(error);
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    return `its certificate is for another name: it has ${altNames(error)}`;
  }
  return TLS_WORDS[code] ?? `it broke off the handshake (${code === "" ? "no reason given" : code})`;
};

/** No code at all: it was resolved, to nothing. */
const ABSENT = new Set(["ENOTFOUND", "ENODATA", ""]);

const nameWords = (code: string): string => {
  if (ABSENT.has(code)) return "it has no address";
  return `its name servers gave no answer (${code})`;
};

/** Where a connection was tried, as `address:port`; the first of them, where there were several. */
const whereOf = (error: unknown): string => {
  const one = error instanceof AggregateError ? error.errors[0] : error;
  if (!(one instanceof Error && "address" in one && "port" in one)) return "";
  const address = String(one.address);
  return `${address.includes(":") ? `[${address}]` : address}:${one.port}`;
};

/** What an error on the way to a connection means. */
export const dialFailure = (phase: DialPhase, error: unknown): AttemptError => {
  const code = codeOf(error);
  if (error instanceof AddressRefusedError) return new AttemptError("address_refused", error.message);
  if (phase === "name") return new AttemptError("dns_failed", nameWords(code));
  if (phase === "tls") return new AttemptError("tls_failed", tlsWords(error));
  if (code === "ECONNREFUSED") return new AttemptError("connection_refused", whereOf(error));
  if (code === "ETIMEDOUT") return new AttemptError("connection_timeout", whereOf(error));
  const known = [whereOf(error), code === "" ? "" : `(${code})`];
  return new AttemptError("connection_failed", known.join(" ").trim());
};

/** What it means that a connection was not there in time. */
export const dialTimeout = (phase: DialPhase, timeoutMs: number): AttemptError => {
  const within = `within ${timeoutMs / 1000} s`;
  if (phase === "name") return new AttemptError("dns_failed", `its name servers gave no answer ${within}`);
  if (phase === "tls") {
    return new AttemptError("connection_timeout", `the TLS handshake did not end ${within}`);
  }
  return new AttemptError("connection_timeout", `nothing answered ${within}`);
};

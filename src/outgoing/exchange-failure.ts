import { errors } from "undici";
import { AttemptError, codeOf } from "./attempt-error.ts";
import { tlsWords } from "./dial-failure.ts";
import { type Exchange, SWITCHES } from "./exchange.ts";

const CLOSED = new Set(["UND_ERR_SOCKET", "ECONNRESET", "ECONNABORTED", "EPIPE"]);
/** What undici says of a 101 with all its headers, under the same code as of a close. */
const BAD_UPGRADE = "bad upgrade";

/** Whether a connection ended, by whichever side and word, rather than carried what is no HTTP. */
export const isClosed = (error: Error): boolean => CLOSED.has(codeOf(error)) && error.message !== BAD_UPGRADE;

const whereClosed = ({ progress, status }: Exchange): string => {
  if (progress === "body") return `in the middle of the body of its HTTP ${status}`;
  if (progress === "headers") return "in the middle of its headers";
  return "without a byte of an answer";
};

/** The reason that llhttp gives, of a few fixed ones. */
const parserReason = ({ message }: Error): string => /\((.+)\)$/.exec(message)?.[1] ?? "for no stated reason";

const invalid = (error: Error, { progress, status }: Exchange, headerBytes: number): string => {
  const code = codeOf(error);
  if (code === "UND_ERR_HEADERS_OVERFLOW") return `its headers are larger than ${headerBytes / 1024} kB`;
  if (code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH") return "its Content-Length is not that of its body";
  if (error.message === BAD_UPGRADE) return SWITCHES;
  const where = progress === "body" ? ` in the body of its HTTP ${status}` : "";
  return error instanceof errors.HTTPParserError
    ? `it breaks the protocol${where} (${parserReason(error)})`
    : `it breaks the protocol${where} (${code})`;
};

/** A body that ends too early reads as one of the wrong length. */
const isCutShort = (error: Error, { progress }: Exchange): boolean =>
  progress === "body" &&
  (codeOf(error) === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH" || error.message.includes("EOF state"));

/** What undici says of a request that it cannot make: a mistake of the caller's. */
const MISTAKES = new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"]);
/** And of an answer that cannot be taken. */
const INVALID = new Set([
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_RES_EXCEEDED_MAX_SIZE",
]);

const isInvalid = (error: Error): boolean =>
  error instanceof errors.HTTPParserError || error.message === BAD_UPGRADE || INVALID.has(codeOf(error));

/** What an error on a connection, or on the way to one, means; mistakes are given back as they are. */
export const exchangeFailure = (error: Error, exchange: Exchange, headerBytes: number): Error => {
  const code = codeOf(error);
  if (error instanceof AttemptError || MISTAKES.has(code)) return error;
  if (isClosed(error) || isCutShort(error, exchange))
    return new AttemptError("connection_closed", whereClosed(exchange));
  if (code.startsWith("ERR_SSL_")) return new AttemptError("tls_failed", tlsWords(error));
  if (isInvalid(error)) return new AttemptError("response_invalid", invalid(error, exchange, headerBytes));
  if (/^UND_ERR_.+_TIMEOUT$/.test(code)) return new AttemptError("timeout", "nothing came for too long");
  const reason = code === "" ? "for an unknown reason" : code;
  return exchange.progress === "connecting"
    ? new AttemptError("connection_failed", reason)
    : new AttemptError("connection_closed", `it could no longer be reached (${reason})`);
};

/** Why there was no whole answer in time; `exchange` is null where not even a connection was free. */
export const exchangeTimeout = (exchange: Exchange | null, connections: number): AttemptError => {
  const { progress, status } = exchange ?? { progress: "waiting", status: null };
  const words = {
    waiting: `all of the ${connections} connections to its host were in use`,
    connecting: "there was no connection",
    sent: "it took the request, and said nothing",
    headers: status === null ? "its headers did not end" : `nothing came after its HTTP ${status}`,
    body: `the body of its HTTP ${status} did not end`,
  } as const;
  return new AttemptError("timeout", words[progress]);
};

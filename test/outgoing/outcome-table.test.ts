import dns from "node:dns";
import { getSystemErrorMap } from "node:util";
import { errors } from "undici";
import { describe, expect, it } from "vitest";
import { type AttemptFailure, explain, outcomeOf } from "../../src/domain/webhooks/outcome.ts";
import { AttemptError } from "../../src/outgoing/attempt-error.ts";
import { dialFailure } from "../../src/outgoing/dial-failure.ts";
import { Exchange } from "../../src/outgoing/exchange.ts";
import { exchangeFailure } from "../../src/outgoing/exchange-failure.ts";
import { SENDER_LIMITS } from "../../src/outgoing/sending.ts";
import { RawFarEnd } from "../support/raw-far-end.ts";
import { testSender } from "../support/webhook-sender.ts";

const STATUSES = Array.from({ length: 500 }, (_, i) => 100 + i);

describe("every status, said by an endpoint", () => {
  it("comes to retry, disable or done: what is interim by what follows it", async () => {
    const farEnd = await RawFarEnd.start((socket, number) => {
      const status = STATUSES[number - 1] ?? 0;
      const final = status < 200 ? "\r\nHTTP/1.1 204 Yes\r\n\r\n" : "Content-Length: 0\r\n\r\n";
      socket.write(`HTTP/1.1 ${status} Whatever\r\n${final}`);
    });
    const { post } = testSender();
    const table: Record<string, number[]> = {};
    for (const status of STATUSES) {
      const { result } = await post(farEnd.url);
      const outcome = outcomeOf(result);
      if (status >= 200) expect(result).toEqual({ status });
      else if (status !== 101) expect(result).toEqual({ status: 204 });
      else expect(result).toMatchObject({ failure: "response_invalid" });
      table[outcome] = [...(table[outcome] ?? []), status];
    }
    const done = STATUSES.filter((status) => status < 300 && status !== 101);
    const retry = STATUSES.filter((status) => status === 101 || (status >= 300 && status !== 410));
    expect(table).toEqual({ done, disable: [410], retry });
    expect(farEnd.requests).toHaveLength(500);
  });

  it.each(["000", "099", "600", "999", "20", "2000", "+20", "2x0"])(
    "and one that is none, as %s, is tried again",
    async (status) => {
      const farEnd = await RawFarEnd.start((socket) =>
        socket.end(`HTTP/1.1 ${status} Whatever\r\nContent-Length: 0\r\n\r\n`),
      );
      const { result } = await testSender().post(farEnd.url);
      expect(outcomeOf(result)).toBe("retry");
      expect(explain(result)).toMatch(/^[A-Z].+\.$/);
    },
  );
});

/** OpenSSL's reasons to refuse a certificate, under the names that Node gives them (its documentation of TLS). */
const CERTIFICATE = `UNABLE_TO_GET_ISSUER_CERT UNABLE_TO_GET_CRL UNABLE_TO_DECRYPT_CERT_SIGNATURE
  UNABLE_TO_DECRYPT_CRL_SIGNATURE UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY CERT_SIGNATURE_FAILURE CRL_SIGNATURE_FAILURE
  CERT_NOT_YET_VALID CERT_HAS_EXPIRED CRL_NOT_YET_VALID CRL_HAS_EXPIRED ERROR_IN_CERT_NOT_BEFORE_FIELD
  ERROR_IN_CERT_NOT_AFTER_FIELD ERROR_IN_CRL_LAST_UPDATE_FIELD ERROR_IN_CRL_NEXT_UPDATE_FIELD OUT_OF_MEM
  DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY
  UNABLE_TO_VERIFY_LEAF_SIGNATURE CERT_CHAIN_TOO_LONG CERT_REVOKED INVALID_CA PATH_LENGTH_EXCEEDED INVALID_PURPOSE
  CERT_UNTRUSTED CERT_REJECTED HOSTNAME_MISMATCH`.split(/\s+/);
const TLS = [
  ...CERTIFICATE,
  ...["ALTNAME_INVALID", "ALTNAME_FORMAT"].map((code) => `ERR_TLS_CERT_${code}`),
  ...["ERR_TLS_HANDSHAKE_TIMEOUT", "ERR_TLS_INVALID_PROTOCOL_VERSION", "ERR_TLS_PROTOCOL_VERSION_CONFLICT"],
  ...[
    "WRONG_VERSION_NUMBER",
    "TLSV1_ALERT_PROTOCOL_VERSION",
    "SSLV3_ALERT_HANDSHAKE_FAILURE",
    "NO_SUCH_REASON",
  ].map((reason) => `ERR_SSL_${reason}`),
];
/** What calls of the system can end in: what libuv names. */
const SYSTEM = [...getSystemErrorMap().values()].map(([name]) => name);
/** What c-ares can end in, as Node names it. */
const NAMES = Object.values({ ...dns }).flatMap((value) =>
  typeof value === "string" && /^E[A-Z]+$/.test(value) ? [value] : [],
);
/** What Node's own network code throws besides. */
const NODE = [
  "ERR_SOCKET_CLOSED",
  "ERR_SOCKET_CONNECTION_TIMEOUT",
  "ERR_STREAM_DESTROYED",
  "ERR_INVALID_IP_ADDRESS",
];

const withCode = (code: string): Error =>
  Object.assign(new Error(`what the machine said of ${code}`), { code });
const PLAIN = [...new Set([...SYSTEM, ...NAMES, ...TLS, ...NODE, ""])].map(withCode);
/** Of every kind that undici has: one that is new there is new here. */
const UNDICI = Object.entries(errors).map(([name, kind]) => {
  const made: unknown = Reflect.construct(kind, ["what undici said", "ODD", { headers: {}, data: "" }]);
  if (!(made instanceof Error)) throw new Error(`${name} is no error`);
  return made;
});

const expectWords = (
  error: Error,
  failure: AttemptFailure | readonly AttemptFailure[],
  what: string,
): void => {
  if (!(error instanceof AttemptError)) throw new Error(`${what} gave ${error}`);
  expect([failure].flat(), what).toContain(error.failure);
  const result = { failure: error.failure, detail: error.message };
  expect(outcomeOf(result), what).toBe("retry");
  const words = explain(result);
  expect(words, what).toMatch(/^[A-Z].+\.$/);
  // What the machine says may name what is not the owner's to know.
  expect(words, what).not.toMatch(/undefined|null|what the machine said|what undici said|\[object|\(\)/);
};

describe("every failure on the way to a connection", () => {
  it("is tried again, and told in words: of the system, of name servers, of TLS, of undici", () => {
    expect(SYSTEM.length).toBeGreaterThan(70);
    expect(NAMES.length).toBeGreaterThan(20);
    const connection = (code: unknown) =>
      code === "ECONNREFUSED"
        ? "connection_refused"
        : code === "ETIMEDOUT"
          ? "connection_timeout"
          : "connection_failed";
    for (const error of [...PLAIN, ...UNDICI]) {
      const code = "code" in error ? error.code : "";
      expectWords(dialFailure("name", error), "dns_failed", `name ${code}`);
      expectWords(dialFailure("tls", error), "tls_failed", `tls ${code}`);
      expectWords(dialFailure("connection", error), connection(code), `connection ${code}`);
    }
  });
});

/** An exchange that has come so far. */
const exchanges = (): Exchange[] => {
  const controller = { aborted: false, paused: false, reason: null, rawHeaders: [] };
  const parts = { ...controller, abort: () => undefined, pause: () => undefined, resume: () => undefined };
  const ends = { answered: () => undefined, ended: () => undefined, broke: () => undefined };
  const steps = [
    (one: Exchange) => one.onRequestStart(),
    (one: Exchange) => one.onResponseStarted(),
    (one: Exchange) => one.onResponseStart(parts, 200, {}),
  ];
  return [0, 1, 2, 3].map((count) => {
    const one = new Exchange(SENDER_LIMITS, ends);
    for (const step of steps.slice(0, count)) step(one);
    return one;
  });
};

/** By code, for those that are told apart; the rest of undici's, of TLS's and of the system's each by one word. */
const EXCHANGE: Readonly<Record<string, AttemptFailure>> = {
  UND_ERR_SOCKET: "connection_closed",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_HEADERS_OVERFLOW: "response_invalid",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "response_invalid",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "response_invalid",
};

describe("every failure on a connection", () => {
  it("is tried again, and told in words, but for mistakes of our own", () => {
    const mistakes = new Set<unknown>();
    for (const exchange of exchanges())
      for (const error of [...PLAIN, ...UNDICI]) {
        const code = "code" in error ? String(error.code) : "";
        const what = `${exchange.progress} ${code} ${error.name}`;
        const failure = exchangeFailure(error, exchange, SENDER_LIMITS.headerBytes);
        if (failure === error) mistakes.add(code);
        else if (error instanceof errors.HTTPParserError) expectWords(failure, "response_invalid", what);
        else if (exchange.progress === "body" && code === "UND_ERR_RES_CONTENT_LENGTH_MISMATCH")
          expectWords(failure, "connection_closed", what);
        else {
          const usual = code.startsWith("ERR_SSL_")
            ? "tls_failed"
            : (["connection_failed", "connection_closed"] as const);
          expectWords(failure, EXCHANGE[code] ?? usual, what);
        }
      }
    expect(mistakes).toEqual(new Set(["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"]));
  });

  it("is a close, once there was a connection, whatever the system calls it", () => {
    const [connecting, ...connected] = exchanges();
    for (const error of SYSTEM.map(withCode))
      for (const exchange of connected)
        expect(exchangeFailure(error, exchange, 1)).toMatchObject({ failure: "connection_closed" });
    if (connecting === undefined) throw new Error("none");
    expect(exchangeFailure(withCode("EMFILE"), connecting, 1)).toMatchObject({
      failure: "connection_failed",
      message: "EMFILE",
    });
  });
});

import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { App } from "./app.ts";
import { ProblemError } from "./problem.ts";

/** RFC 6455, 4.2.1: 16 bytes in base 64. */
const WEBSOCKET_KEY = /^[+/0-9A-Za-z]{22}==$/;
const STREAM_PATH = "/v1/stream";

/** What asks for another protocol, or for one where there is none, is answered as if it had not asked (RFC 9110, 7.8). */
export const isStreamUpgrade = ({ url = "", headers, method }: IncomingMessage): boolean =>
  method === "GET" && headers.upgrade?.toLowerCase() === "websocket" && url.split("?", 1)[0] === STREAM_PATH;

const faultOf = ({ raw, headers }: FastifyRequest): ProblemError | null => {
  if (raw.httpVersion === "1.1" && headers.host === undefined)
    return new ProblemError("validation_failed", "a request of HTTP/1.1 needs the header Host");
  const expectation = headers.expect;
  if (expectation !== undefined && expectation.toLowerCase() !== "100-continue")
    return new ProblemError("expectation_failed", "no expectation but 100-continue can be met");
  return null;
};

const upgradeFaultOf = ({ headers }: FastifyRequest): ProblemError | null => {
  if (headers["sec-websocket-version"] !== "13")
    return new ProblemError("validation_failed", "WebSockets are spoken in version 13 (RFC 6455)", {
      headers: { "Sec-WebSocket-Version": "13" },
    });
  if (WEBSOCKET_KEY.test(String(headers["sec-websocket-key"]))) return null;
  return new ProblemError("validation_failed", "Sec-WebSocket-Key must be 16 bytes in base 64");
};

/** Answers as problems what Node and ws would refuse by themselves, without the words and the id of an answer. */
export const refuseUnsound = (app: App): void => {
  app.server.on("checkExpectation", (request, response) => app.routing(request, response));
  app.addHook("onRequest", async (request) => {
    const fault = faultOf(request) ?? (request.ws ? upgradeFaultOf(request) : null);
    if (fault !== null) throw fault;
  });
};

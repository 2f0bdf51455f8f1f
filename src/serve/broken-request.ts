import type { Socket } from "node:net";
import type { ProblemCode } from "../../schemas/problem.ts";
import { ProblemError, problemBody } from "./problem.ts";

const MEANING: Readonly<Record<string, [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: ["payload_too_large", "the headers are too large"],
  ERR_HTTP_REQUEST_TIMEOUT: ["validation_failed", "the request did not arrive in time"],
};

/** Answers what never became a request (bad HTTP, headers too large or too slow), and closes the connection. */
export const answerBrokenRequest = (error: Error & { code: string }, socket: Socket, requestId: string) => {
  if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
  const [code, detail] = MEANING[error.code] ?? ["validation_failed", "this is not an HTTP request"];
  const body = problemBody(new ProblemError(code, detail), requestId);
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${body.status} ${body.title}\r\nContent-Type: application/problem+json\r\n` +
      `X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(text)}\r\nConnection: close\r\n\r\n${text}`,
  );
  return socket;
};

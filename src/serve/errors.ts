import type { FastifyRequest } from "fastify";
import { PROBLEMS } from "../../schemas/problem.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { App } from "./app.ts";
import { asksForPage, isMistyped } from "./asks-for-page.ts";
import { ClientGoneError } from "./gone.ts";
import { ReplayedAnswer } from "./kept-answer.ts";
import { methodsByPath } from "./methods-by-path.ts";
import { ProblemError } from "./problem.ts";
import { problemOf } from "./problem-of.ts";
import { sendDashboard } from "./routes/dashboard.ts";
import { sendProblem } from "./send-problem.ts";

const UNKNOWN_PATH = new ProblemError("not_found", "there is no such path; GET / says where to go");

const HUNG_UP = new ProblemError("validation_failed", "the body ended before its end");

/** Nobody reads the answer, and nothing of ours has failed. */
const isHangUp = (error: unknown, { raw }: FastifyRequest): boolean =>
  error instanceof ClientGoneError ||
  (!raw.complete && error instanceof Error && "code" in error && error.code === "ECONNRESET");

/**
 * Every failure, unknown routes and methods included, is answered as a problem; ours are logged by their code. To whoever
 * has mistyped an address in a browser, the dashboard's page says so.
 */
export const answerErrors = (
  app: App,
  { log, metrics }: Telemetry,
  dashboard: string | null = null,
): void => {
  const hangUps = metrics.counter("request_aborted_total", "Requests whose sender hung up before their end.");
  const methodsOf = methodsByPath(app);
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof ReplayedAnswer) return error.send(reply);
    if (isHangUp(error, request)) {
      hangUps.add(1);
      log.debug({ requestId: request.id, path: request.routeOptions.url }, "request_aborted");
      return sendProblem(request, reply, HUNG_UP);
    }
    const problem = problemOf(error);
    if (PROBLEMS[problem.code].status >= 500)
      log.error(
        { requestId: request.id, method: request.method, path: request.routeOptions.url, err: problem.cause },
        problem.code,
      );
    return sendProblem(request, reply, problem);
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(request.url);
    if (methods.length === 0) {
      if (dashboard === null || !isMistyped(request)) return sendProblem(request, reply, UNKNOWN_PATH);
      reply.header("Vary", "Accept");
      return asksForPage(request)
        ? sendDashboard(reply.code(404), dashboard)
        : sendProblem(request, reply, UNKNOWN_PATH);
    }
    const allow = methods.join(", ");
    const detail = `this path knows ${allow}`;
    return sendProblem(
      request,
      reply,
      new ProblemError("method_not_allowed", detail, { headers: { Allow: allow } }),
    );
  });
};

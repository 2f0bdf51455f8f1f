import { PROBLEMS } from "../../schemas/problem.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { App } from "./app.ts";
import { ReplayedAnswer } from "./kept-answer.ts";
import { methodsByPath } from "./methods-by-path.ts";
import { ProblemError } from "./problem.ts";
import { problemOf } from "./problem-of.ts";
import { sendProblem } from "./send-problem.ts";

const UNKNOWN_PATH = new ProblemError("not_found", "there is no such path; GET / says where to go");

/** Every failure, unknown routes and methods included, is answered as a problem; ours are logged by their code. */
export const answerErrors = (app: App, log: Logger): void => {
  const methodsOf = methodsByPath(app);
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof ReplayedAnswer) return error.send(reply);
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
    if (methods.length === 0) return sendProblem(request, reply, UNKNOWN_PATH);
    const allow = methods.join(", ");
    const detail = `this path knows ${allow}`;
    return sendProblem(
      request,
      reply,
      new ProblemError("method_not_allowed", detail, { headers: { Allow: allow } }),
    );
  });
};

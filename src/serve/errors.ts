import type { FastifyReply, FastifyRequest } from "fastify";
import { PROBLEMS } from "../../schemas/problem.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { App } from "./app.ts";
import { methodsByPath } from "./methods-by-path.ts";
import { ProblemError, problemBody } from "./problem.ts";
import { problemOf } from "./problem-of.ts";

const send = (reply: FastifyReply, request: FastifyRequest, problem: ProblemError): FastifyReply =>
  reply
    .code(PROBLEMS[problem.code].status)
    .headers(problem.headers)
    .type("application/problem+json")
    .send(JSON.stringify(problemBody(problem, request.id)));

/** Every failure, unknown routes and methods included, is answered as a problem; ours are logged by their code. */
export const answerErrors = (app: App, log: Logger): void => {
  const methodsOf = methodsByPath(app);
  app.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    if (PROBLEMS[problem.code].status >= 500)
      log.error(
        { requestId: request.id, method: request.method, path: request.routeOptions.url, err: problem.cause },
        problem.code,
      );
    return send(reply, request, problem);
  });
  app.setNotFoundHandler((request, reply) => {
    const methods = methodsOf(request.url);
    if (methods.length === 0)
      return send(
        reply,
        request,
        new ProblemError("not_found", "there is no such path; GET / says where to go"),
      );
    const allow = methods.join(", ");
    return send(
      reply,
      request,
      new ProblemError("method_not_allowed", `this path knows ${allow}`, { headers: { Allow: allow } }),
    );
  });
};

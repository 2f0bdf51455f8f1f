import type { FastifyReply } from "fastify";
import { PROBLEMS } from "../../schemas/problem.ts";
import { type ProblemError, problemBody } from "./problem.ts";

/** Answers a request with a problem, also before any hook has run. */
export const sendProblem = (
  request: { readonly id: string },
  reply: Pick<FastifyReply, "code" | "headers">,
  problem: ProblemError,
): FastifyReply =>
  reply
    .code(PROBLEMS[problem.code].status)
    .headers({ ...problem.headers, "X-Request-Id": request.id })
    .type("application/problem+json")
    .send(JSON.stringify(problemBody(problem, request.id)));

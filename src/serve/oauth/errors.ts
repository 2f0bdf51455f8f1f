import { html } from "ghtml";
import { PROBLEMS, type ProblemCode } from "../../../schemas/problem.ts";
import type { Logger } from "../../ports/telemetry.ts";
import type { App } from "../app.ts";
import { sendPage } from "../pages/page.ts";
import { problemOf } from "../problem-of.ts";
import { PATHS } from "./paths.ts";

/** RFC 6749, sections 4.1.2.1 and 5.2. */
const errorOf = (code: ProblemCode): string => {
  const { status } = PROBLEMS[code];
  if (status === 429 || status === 503) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : "invalid_request";
};

/** What is refused before the authorization server sees it is told as it tells: to programs in its words, to people on a page. */
export const answerOAuthErrors = (routes: App, log: Logger): void => {
  routes.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    const { status, title } = PROBLEMS[problem.code];
    if (status >= 500) log.error({ requestId: request.id, err: problem.cause ?? error }, problem.code);
    reply.headers(problem.headers);
    if (request.routeOptions.url?.startsWith(PATHS.authorize) === true)
      return sendPage(reply, { title, body: html`<p>${problem.detail}</p>` }, status);
    return reply
      .code(status)
      .header("Cache-Control", "no-store")
      .type("application/json; charset=utf-8")
      .send(JSON.stringify({ error: errorOf(problem.code), error_description: problem.detail }));
  });
};

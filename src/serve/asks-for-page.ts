import type { FastifyRequest } from "fastify";

/** Under these, whoever asks for what is not there is told so as programs are. */
const OF_PROGRAMS = ["/v1", "/docs", "/health", "/metrics", "/oauth", "/.well-known", "/dashboard"];

/** Only browsers ask for a page. */
export const asksForPage = ({ headers }: FastifyRequest): boolean =>
  /\btext\/html\b/.test(headers.accept ?? "");

/** Whether an address at which nothing is may be one that somebody has mistyped in a browser. */
export const isMistyped = ({ method, url }: FastifyRequest): boolean => {
  const path = url.split("?", 1)[0] ?? "";
  return method === "GET" && !OF_PROGRAMS.some((root) => path === root || path.startsWith(`${root}/`));
};

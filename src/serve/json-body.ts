import type { App } from "./app.ts";
import { ProblemError } from "./problem.ts";

export const JSON_DEPTH_MAX = 32;
const QUOTE = 34;
const BACKSLASH = 92;

/** Whether brackets and braces of a JSON text nest deeper than `limit`; stops at once where they do. */
export const nestsDeeperThan = (text: string, limit: number): boolean => {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > limit) return true;
    } else if (code === 0x5d || code === 0x7d) depth--;
  }
  return false;
};

/** The one body format: JSON, not nested beyond 32, without `__proto__`. An empty body is none. */
export const readJsonBodies = (app: App): void => {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "string" }, (request, body, done) => {
    const text = body.toString();
    if (text === "") return done(null, undefined);
    if (nestsDeeperThan(text, JSON_DEPTH_MAX))
      return done(new ProblemError("validation_failed", `the body nests deeper than ${JSON_DEPTH_MAX}`));
    return parse(request, text, done);
  });
};

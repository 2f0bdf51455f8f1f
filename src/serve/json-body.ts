import { isUtf8 } from "node:buffer";
import type { App } from "./app.ts";
import { faultOfJson } from "./json-text.ts";
import { ProblemError, validationFailed } from "./problem.ts";

/** The one body format: JSON in UTF-8 that `faultOfJson` finds nothing in, without `__proto__`. An empty body is none. */
export const readJsonBodies = (app: App): void => {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser("error", "error");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (request, body, done) => {
    const bytes = Buffer.from(body);
    if (bytes.length === 0) return done(null, undefined);
    if (!isUtf8(bytes)) return done(new ProblemError("validation_failed", "the body is not UTF-8"));
    const text = bytes.toString();
    const fault = faultOfJson(text);
    if (fault !== null) return done(new ProblemError("validation_failed", `the body ${fault}`));
    // Behind here it would pass for a body that was left out.
    if (text.trim() === "null")
      return done(validationFailed([{ path: "", message: "must be an object, and is null" }]));
    return parse(request, text, done);
  });
};

import { isNdjson, mediaTypeOf } from "../../domain/message-lines.ts";
import type { App } from "../app.ts";
import { faultOfJson } from "../json-text.ts";
import { validationFailed } from "../problem.ts";

/** Bodies of every content type, or of none, stay the bytes that they are; for the routes of `scope` only. */
export const readAnyBody = (scope: App): void => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => {
    const bytes = Buffer.from(body);
    // A line of many is the mapping's to judge: it spoils no other.
    const isOne = !isNdjson(mediaTypeOf(request.headers["content-type"]));
    const fault = isOne ? faultOfJson(bytes.toString("utf8")) : null;
    if (fault !== null) return done(validationFailed([{ path: "", message: `the body ${fault}` }]));
    return done(null, bytes);
  });
};

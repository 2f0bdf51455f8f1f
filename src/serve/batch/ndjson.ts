import { isUtf8 } from "node:buffer";
import { BATCH_OPERATIONS_MAX } from "../../../schemas/batch.ts";
import type { App } from "../app.ts";
import { faultOfJson } from "../json-text.ts";
import { ProblemError } from "../problem.ts";
import { UnreadableLine } from "./read-operations.ts";

type Parse = ReturnType<App["getDefaultJsonParser"]>;
type Request = Parameters<Parse>[0];

const operationOf = (parse: Parse, request: Request, line: string): unknown => {
  const fault = faultOfJson(line);
  if (fault !== null) return new UnreadableLine(`the line ${fault}`, line);
  let operation: unknown = new UnreadableLine("the line is not valid JSON", line);
  parse(request, line, (error, value) => {
    if (error === null) operation = value;
  });
  return operation;
};

/** One more than a batch may have shows that there are too many. */
const linesOf = (body: Buffer): string[] =>
  body
    .toString("utf8")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .slice(0, BATCH_OPERATIONS_MAX + 1);

/** Bodies of `application/x-ndjson`, an operation a line, become what a JSON body says; for the routes of `scope` only. */
export const readOperationLines = (scope: App): void => {
  const parse = scope.getDefaultJsonParser("error", "error");
  scope.addContentTypeParser("application/x-ndjson", { parseAs: "buffer" }, (request, body, done) => {
    const bytes = Buffer.from(body);
    if (!isUtf8(bytes)) return done(new ProblemError("validation_failed", "the body is not UTF-8"));
    return done(null, { operations: linesOf(bytes).map((line) => operationOf(parse, request, line)) });
  });
};

import { createHash } from "node:crypto";
import { z } from "zod";

const Member = z.record(z.string(), z.unknown());
const Answers = z.record(z.string(), z.looseObject({ content: Member.optional() }));
const Operation = z.looseObject({ responses: Answers });
const Document = z.looseObject({
  info: z.looseObject({ version: z.string() }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

/** Problems have one type in the client, whichever operation answers them. */
const ownAnswers = (answers: z.infer<typeof Answers>) =>
  Object.fromEntries(
    Object.entries(answers)
      .filter(([, { content = {} }]) => content["application/problem+json"] === undefined)
      .map(([status, { headers: _, ...answer }]) => [status, answer]),
  );

const withoutExamples = (json: string): unknown =>
  JSON.parse(json, function (this: unknown, key: string, value: unknown) {
    const isSchemasOwn = key === "example" || key === "examples";
    return isSchemasOwn && !Array.isArray(this) ? undefined : value;
  });

/** What of the OpenAPI document the client's types are made of: no examples, no headers, no problems, no version. */
export const typedPart = (document: unknown): string => {
  const { info, paths, ...rest } = Document.parse(withoutExamples(JSON.stringify(document)));
  const trimmed = Object.entries(paths).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations).map(([method, { responses, ...operation }]) => [
        method,
        { ...operation, responses: ownAnswers(responses) },
      ]),
    ),
  ]);
  const part = { ...rest, info: { ...info, version: "1" }, paths: Object.fromEntries(trimmed) };
  return JSON.stringify(part, null, 1);
};

/** Words may change, and are the client's when its types next do. */
const withoutWords = (part: string): unknown =>
  JSON.parse(part, (key, value: unknown) =>
    (key === "description" || key === "summary") && typeof value === "string" ? undefined : value,
  );

export const fingerprint = (part: string): string =>
  createHash("sha256")
    .update(JSON.stringify(withoutWords(part)))
    .digest("hex");

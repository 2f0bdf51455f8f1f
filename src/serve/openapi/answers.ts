import type { Access } from "./access.ts";
import type { Operation } from "./operations/operation.ts";
import type { Answer, Described, Raw } from "./raw.ts";

/** Of every answer. */
export const TRACE = {
  "X-Request-Id": { description: "Name it when you ask about an answer.", schema: { type: "string" } },
};
const LIMITS = {
  RateLimit: {
    description: "How many more requests the key may send, and until when.",
    schema: { type: "string" },
  },
  "RateLimit-Policy": { description: "How many in how many seconds.", schema: { type: "string" } },
};

/** What answers with no content has no schema that could say so; nor has what is no JSON of ours. */
const rawAnswersOf = (
  method: string,
  { responses = {} }: Raw,
  { gives, answer }: Operation,
): [string, Answer][] => {
  if (method === "delete" || (method === "put" && answer === undefined)) return [["204", {}]];
  if (gives !== undefined)
    return [
      ["200", { content: { [gives]: { schema: { type: gives.endsWith("json") ? "object" : "string" } } } }],
    ];
  return Object.entries(responses).filter(([status]) => /^\d{3}$/.test(status));
};

/** What a route answers when it does what was asked, by status. */
export const answersOf = (method: string, raw: Raw, operation: Operation, access: Access): Described => {
  const answers = rawAnswersOf(method, raw, operation);
  const headers = { ...TRACE, ...(access === "public" ? {} : LIMITS) };
  return Object.fromEntries(
    answers.map(([status, answer]) => {
      const example = operation.answer?.[Number(status)];
      const content = Object.fromEntries(
        Object.entries(answer.content ?? {}).map(([type, media]) => [
          type,
          example === undefined ? media : { ...media, example },
        ]),
      );
      const description = status === "204" ? "Done; there is nothing to say." : "As asked for.";
      return [status, { description, headers, ...(answer.content === undefined ? {} : { content }) }];
    }),
  );
};

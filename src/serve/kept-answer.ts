import type { FastifyReply } from "fastify";
import { z } from "zod";
import { PROBLEMS, type ProblemCode } from "../../schemas/problem.ts";
import { ProblemError } from "./problem.ts";

/** Beyond it only the status and a summary, if the answer has one, are kept. */
export const RESULT_BYTES_MAX = 256 * 1024;
const REPLAYED = { "Idempotency-Replayed": "true" };

/** An answer as it is given again: a good one, or a problem. */
export const Kept = z.union([
  z.object({ status: z.number(), headers: z.record(z.string(), z.string()), text: z.string() }),
  z.object({
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]),
    detail: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
]);
export type Kept = z.infer<typeof Kept>;

const Summarised = z.object({ summary: z.unknown() });
/** What is kept of an answer's text. */
export const keptText = (text: string): string => {
  if (Buffer.byteLength(text) <= RESULT_BYTES_MAX) return text;
  const { data } = Summarised.safeParse(JSON.parse(text));
  return JSON.stringify(data ?? {});
};

/** An answer that was given before: thrown, as it does not come from the handler of this request. */
export class ReplayedAnswer extends Error {
  override readonly name = "ReplayedAnswer";
  readonly answer: Exclude<Kept, { code: string }>;

  constructor(answer: Exclude<Kept, { code: string }>) {
    super("answered before");
    this.answer = answer;
  }

  send(reply: FastifyReply): FastifyReply {
    const { status, headers, text } = this.answer;
    return reply
      .code(status)
      .headers({ ...headers, ...REPLAYED })
      .type("application/json; charset=utf-8")
      .send(text);
  }
}

export const replay = (kept: Kept): never => {
  if (!("code" in kept)) throw new ReplayedAnswer(kept);
  const { code, detail, errors } = kept;
  throw new ProblemError(code, detail, { headers: REPLAYED, ...(errors === undefined ? {} : { errors }) });
};

import { z } from "zod";

type BodyOf<Operation> = Operation extends { requestBody: { content: { "application/json": infer Body } } }
  ? Body
  : never;

/** A body of an operation as it is written: with the fields that it has, and without the defaults of its schema. */
export const asWritten = <Operation>(schema: z.ZodType) =>
  z.custom<BodyOf<Operation>>((body) => schema.safeParse(body).success);

import { z } from "zod";

export const Described = z.record(z.string(), z.unknown());
export type Described = z.infer<typeof Described>;
const Answer = z.looseObject({ content: z.record(z.string(), Described).optional() });
export type Answer = z.infer<typeof Answer>;
const Raw = z.looseObject({
  parameters: z.array(Described).optional(),
  requestBody: z.looseObject({ content: z.record(z.string(), Described) }).optional(),
  responses: z.record(z.string(), Answer).optional(),
});
export type Raw = z.infer<typeof Raw>;
/** As far as it is looked at here: what @fastify/swagger makes of the routes (OpenAPI 3.1). */
export const OpenApi = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Raw)),
  components: z.looseObject({ schemas: z.record(z.string(), Described).default({}) }),
});
export type OpenApi = z.infer<typeof OpenApi>;

import type { Operation } from "./operations/operation.ts";
import type { Raw } from "./raw.ts";

const ANY = { description: "Whatever the sender sends." };
const LINES = { type: "string", description: "A JSON object a line." };

const mediaOf = (type: string, example: unknown) => ({
  schema: type === "application/x-ndjson" ? LINES : ANY,
  example,
});

/** A request's bodies with their examples, and with those that only words describe beside those of the schemas. */
export const withBodies = (raw: Raw, { body, takes = {} }: Operation): Raw => {
  const schemas = Object.entries(raw.requestBody?.content ?? {}).map(([type, media]) => [
    type,
    body === undefined ? media : { ...media, example: body },
  ]);
  const others = Object.entries(takes).map(([type, example]) => [type, mediaOf(type, example)]);
  const content = Object.fromEntries([...schemas, ...others]);
  if (Object.keys(content).length === 0) return raw;
  return { ...raw, requestBody: { required: true, ...raw.requestBody, content } };
};

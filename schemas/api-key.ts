import { z } from "zod";
import { ApiKeyId, Timestamp, TimestampInput } from "./common.ts";

export const Scope = z.enum(["read", "write", "admin"]);
export type Scope = z.infer<typeof Scope>;

const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .describe("What tells it from the others, such as who uses it.");
export const Scopes = z
  .array(Scope)
  .min(1)
  .max(3)
  .describe("`read` to look, `write` to change, `admin` for everything, keys included.")
  .transform((scopes) => [...new Set(scopes)]);

export const ApiKeyCreate = z.strictObject({
  name,
  scopes: Scopes,
  expiresAt: TimestampInput.nullable()
    .default(null)
    .describe("Until when it holds; null: until it is revoked."),
});
export type ApiKeyCreate = z.infer<typeof ApiKeyCreate>;

const shown = {
  id: ApiKeyId,
  name: z.string(),
  prefix: z.string().describe("Its first characters."),
  scopes: z.array(Scope),
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
  lastUsedAt: Timestamp.nullable().describe("To the minute; null: never."),
};

/** A key as its owner sees it. */
export const ApiKey = z.strictObject(shown);
export type ApiKey = z.infer<typeof ApiKey>;

/** The only answer that holds the key itself. */
export const ApiKeyCreated = z.strictObject({
  ...shown,
  key: z.string().describe("Shown only now: keep it."),
});

export const ApiKeysAnswer = z.strictObject({ apiKeys: z.array(ApiKey), nextCursor: z.string().nullable() });

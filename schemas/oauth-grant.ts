import { z } from "zod";
import { Scope } from "./api-key.ts";
import { AccountId, OAuthClientId, OAuthGrantId, Timestamp } from "./common.ts";

/** A program that somebody lets act for them in an account. */
export const OAuthGrant = z.strictObject({
  id: OAuthGrantId,
  client: z.strictObject({ id: OAuthClientId, name: z.string() }),
  accountId: AccountId,
  scopes: z.array(Scope).describe("What was allowed; it may do no more of it than your role allows now."),
  createdAt: Timestamp,
  lastUsedAt: Timestamp.nullable().describe("To the minute; null: never."),
  expiresAt: Timestamp.describe("Unless it is used before."),
});
export type OAuthGrant = z.infer<typeof OAuthGrant>;

export const OAuthGrantsAnswer = z.strictObject({
  grants: z.array(OAuthGrant),
  nextCursor: z.string().nullable(),
});

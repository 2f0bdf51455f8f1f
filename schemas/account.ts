import { z } from "zod";
import { AccountId, Timestamp } from "./common.ts";

const name = z.string().trim().min(1).max(200).nullable().describe("Null: it has none.");
const secondFactorRequired = z
  .boolean()
  .describe("Whoever has no second factor may do nothing here but set one up. Keys go on.");

/** What people share: signals, sources, rules, webhooks and keys are an account's. */
export const Account = z.strictObject({ id: AccountId, name, secondFactorRequired, createdAt: Timestamp });
export type Account = z.infer<typeof Account>;

export const AccountPatch = z.strictObject({
  name: name.optional(),
  secondFactorRequired: secondFactorRequired.optional(),
});

import { z } from "zod";
import { AccountId, RuleId } from "../../../schemas/common.ts";
import { type Email, KnownEmail } from "../../../schemas/email.ts";

const DAY_MS = 86_400_000;
/** A link to stop e-mails works so long, however often. */
export const STOP_LINK_MS = 90 * DAY_MS;

/** Which alert e-mails an address wants no more: a rule's, or all of an account's. */
export const StopScope = z.union([RuleId, z.literal("all")]);
export type StopScope = z.infer<typeof StopScope>;

/** What a link to stop e-mails is about: those of one rule; null: of several. */
const Content = z.strictObject({
  accountId: AccountId,
  recipient: KnownEmail,
  ruleId: RuleId.nullable(),
});
export type StopLink = z.infer<typeof Content>;

export const stopSubject = (accountId: AccountId, recipient: Email): string => `${accountId} ${recipient}`;
export const writeStopLink = (link: StopLink): string => JSON.stringify(link);
export const readStopLink = (content: string | null): StopLink | null =>
  content === null ? null : Content.parse(JSON.parse(content));

/** Whether who stopped these is to hear of a rule no more. */
export const isStopped = (stops: ReadonlySet<StopScope>, ruleId: RuleId): boolean =>
  stops.has("all") || stops.has(ruleId);

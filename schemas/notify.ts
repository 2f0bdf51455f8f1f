import { z } from "zod";
import { WebhookId } from "./common.ts";
import { Email, KnownEmail } from "./email.ts";

/** Addresses that one rule may name. */
export const RULE_EMAILS_MAX = 20;
const webhookIds = z
  .array(WebhookId)
  .max(100)
  .optional()
  .describe(
    "Of webhooks only these hear of the rule's alerts, of an empty list none. Default: every one that matches.",
  );
const emails = <Address extends z.ZodType>(address: Address) => z.array(address).min(1).max(RULE_EMAILS_MAX);
const EMAILS_ARE =
  "These addresses get an e-mail when an alert fires and when it resolves; what happens together is told together.";

/** Who hears of a rule's alerts, as it was taken. */
export const Notify = z.strictObject({
  webhookIds,
  emails: emails(KnownEmail).optional().describe(EMAILS_ARE),
});
export type Notify = z.infer<typeof Notify>;

/** As it is asked for: each address once, in whatever way it is written. */
export const NotifyInput = z
  .strictObject({ webhookIds, emails: emails(Email).optional().describe(EMAILS_ARE) })
  .superRefine((notify, context) => {
    const { webhookIds: ids, emails: addresses } = notify;
    if (addresses === undefined && (ids === undefined || ids.length === 0)) {
      const message = "needs at least one, where no emails are named";
      context.addIssue({ code: "custom", path: ["webhookIds"], message });
    }
    addresses?.forEach((address, at) => {
      if (addresses.indexOf(address) === at) return;
      context.addIssue({ code: "custom", path: ["emails", at], message: `names ${address} again` });
    });
  });

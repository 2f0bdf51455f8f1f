import type { Email } from "../../schemas/email.ts";
import { NOTICE_MS } from "../domain/access/limits.ts";
import type { MailContent } from "../ports/mail.ts";
import type { AccessParts, Within } from "./parts.ts";

/** Sends what somebody is to know, as part of the transaction `within`. */
export const sendNotice = async (
  within: Pick<Within, "mails">,
  { clock }: Pick<AccessParts, "clock">,
  to: Email,
  mail: MailContent,
): Promise<void> => {
  await within.mails.add({ ...mail, to, expiresAt: clock.now() + NOTICE_MS });
};

import { z } from "zod";
import { MailId, Timestamp } from "./common.ts";

/** An e-mail that was kept instead of sent, for who develops or tries the service. */
export const KeptMail = z.strictObject({
  id: MailId,
  at: Timestamp,
  to: z.string(),
  subject: z.string(),
  text: z.string(),
  html: z.string(),
});
export type KeptMail = z.infer<typeof KeptMail>;

export const MailboxAnswer = z.strictObject({ mails: z.array(KeptMail) });

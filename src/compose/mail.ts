import { openMailbox } from "../adapters/mail/mailbox.ts";
import { smtpMailer } from "../adapters/mail/smtp.ts";
import type { Config, Role } from "../config/config.ts";
import type { Clock } from "../ports/clock.ts";
import type { Mailbox, Mailer } from "../ports/mail.ts";
import { mailText } from "./banner.ts";
import type { DataDirectory } from "./data-directory.ts";

/** Who sends e-mails, and where those are that are kept instead. */
export interface OpenMail {
  readonly mailer: Mailer | null;
  readonly mailbox: Mailbox | null;
}

export const NO_MAIL: OpenMail = { mailer: null, mailbox: null };

/**
 * By SMTP where it is configured; else a process that does all of the work on this machine keeps e-mails in its data
 * directory and shows them in the terminal.
 */
export const openMail = async (
  { mail }: Pick<Config, "mail">,
  role: Role,
  directory: DataDirectory | null,
  clock: Clock,
): Promise<OpenMail> => {
  if (mail !== null) return { mailer: smtpMailer(mail), mailbox: null };
  if (role !== "all" || directory === null) return NO_MAIL;
  const mailbox = await openMailbox(directory.mailbox, clock, (kept) => {
    process.stdout.write(mailText(kept));
  });
  return { mailer: mailbox, mailbox };
};

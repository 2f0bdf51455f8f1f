import type { Email } from "../../schemas/email.ts";

/** Where e-mails are sent, and as whom. */
export interface SmtpSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; else by STARTTLS, without which nothing is sent if `requireTls`. */
  readonly implicitTls: boolean;
  readonly requireTls: boolean;
  readonly login: { readonly user: string; readonly password: string } | null;
  readonly from: Email;
}

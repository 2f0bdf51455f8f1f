import type { MailId } from "../../schemas/common.ts";
import type { Email } from "../../schemas/email.ts";
import type { KeptMail } from "../../schemas/mailbox.ts";

/** What a person reads: the same in text and in HTML, which refers to nothing elsewhere. */
export interface MailContent {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** E-mails to the same address that it belongs beneath, the oldest first. */
  readonly follows?: readonly MailId[] | undefined;
  /** Where one request without any other ends e-mails of its kind (RFC 8058). */
  readonly stopUrl?: string | undefined;
}

export interface NewMail extends MailContent {
  /** Of one id there is one e-mail, however often it is added; unless given, it is another one. */
  readonly id?: MailId;
  readonly to: Email;
  /** Unix ms; what it says holds no longer then, so it is not sent. */
  readonly expiresAt: number;
}

/** One that is to be sent now, by whoever holds this claim of it. */
export interface DueMail extends NewMail {
  readonly id: MailId;
  readonly claim: string;
  /** How often it has been tried before. */
  readonly attempts: number;
}

export type MailState = "waiting" | "sent" | "failed";

/** What is known of one: never what it says. */
export interface MailStatus {
  readonly id: MailId;
  readonly to: Email;
  readonly state: MailState;
  readonly attempts: number;
  /** Why it could not be sent, the last time. */
  readonly error: string | null;
  readonly endedAt: number | null;
}

/** E-mails that wait to be sent: added in the transaction of what they tell of. What they say is sealed, and forgotten once sent. */
export interface Mails {
  add(mail: NewMail): Promise<MailId>;
  get(id: MailId): Promise<MailStatus | null>;
  /**
   * At most `limit` that are due, the longest due first, each for its taker alone until `leaseMs` from now. Those that
   * have expired count as failed instead.
   */
  take(limit: number, leaseMs: number): Promise<DueMail[]>;
  /** False: another has taken it since. */
  sent(mail: Pick<DueMail, "id" | "claim">): Promise<boolean>;
  /** `nextAttemptAt` null: it is given up. False: another has taken it since. */
  failed(
    mail: Pick<DueMail, "id" | "claim">,
    why: { readonly error: string; readonly nextAttemptAt: number | null },
  ): Promise<boolean>;
  /** How many wait. */
  waiting(): Promise<number>;
  /** Forgets those that ended before (Unix ms), at most `limit`; gives how many it were. */
  prune(before: number, limit: number): Promise<number>;
}

/** The server says that it will never take this one: no other attempt helps. */
export class MailRefusedError extends Error {
  override readonly name = "MailRefusedError";
}

/** Hands e-mails to who brings them to people. */
export interface Mailer {
  /** What is said of it to who runs the service: never a password. */
  readonly name: string;
  /** Resolves when it is taken. Throws MailRefusedError, or what else went wrong: then another attempt may help. */
  send(mail: MailContent & { readonly id: MailId; readonly to: Email }): Promise<void>;
  close(): void;
}

/** E-mails that were kept instead of sent. */
export interface Mailbox {
  /** At most `limit`, newest first. */
  newest(limit: number): Promise<KeptMail[]>;
}

import { createTransport, type NodemailerError } from "nodemailer";
import type { MailId } from "../../../schemas/common.ts";
import type { SmtpSettings } from "../../domain/smtp-settings.ts";
import { type Mailer, MailRefusedError } from "../../ports/mail.ts";

const SENDER_NAME = "Signal Optimization Service";
const CONNECTIONS_MAX = 2;
/** All together below the lease of who sends. */
const TIMEOUT_MS = 10_000;
const SILENCE_MS = 20_000;

/** A permanent refusal of this very mail (RFC 5321, section 4.2.1): of its recipient, or of what it says. */
const isRefusal = ({ code, responseCode = 0 }: NodemailerError): boolean =>
  responseCode >= 500 && (code === "EENVELOPE" || code === "EMESSAGE");

const isMailerError = (error: unknown): error is NodemailerError => error instanceof Error && "code" in error;

/** As in the header `Message-ID` of each (RFC 5322, section 3.6.4), so that mail programs show those beneath that it follows. */
const threadOf = (follows: readonly MailId[], messageId: (id: MailId) => string) => {
  const last = follows.at(-1);
  return last === undefined
    ? {}
    : { inReplyTo: messageId(last), references: follows.map((id) => messageId(id)) };
};

/** Mail programs show a button for it, and ask by one request, without a page in between (RFC 8058). */
const stopHeaders = (stopUrl: string | undefined): Readonly<Record<string, string>> =>
  stopUrl === undefined
    ? {}
    : { "List-Unsubscribe": `<${stopUrl}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" };

/** Over SMTP (RFC 5321), on connections that are kept for the next one. */
export const smtpMailer = ({ host, port, implicitTls, requireTls, login, from }: SmtpSettings): Mailer => {
  const transport = createTransport({
    pool: true,
    host,
    port,
    secure: implicitTls,
    requireTLS: requireTls,
    ...(login === null ? {} : { auth: { user: login.user, pass: login.password } }),
    maxConnections: CONNECTIONS_MAX,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    dnsTimeout: TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    // What is sent is all in what is given.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  // The same at each attempt: of one that comes twice, mail programs show one.
  const messageId = (id: MailId): string => `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`;
  return {
    name: `SMTP ${host}:${port}`,
    send: async ({ id, to, subject, text, html, follows = [], stopUrl }) => {
      try {
        await transport.sendMail({
          from: { name: SENDER_NAME, address: from },
          // As an object: a text is taken for a list.
          to: { name: "", address: to },
          messageId: messageId(id),
          ...threadOf(follows, messageId),
          subject,
          text,
          html,
          headers: { "Auto-Submitted": "auto-generated", ...stopHeaders(stopUrl) },
        });
      } catch (error) {
        if (isMailerError(error) && isRefusal(error))
          throw new MailRefusedError(error.response ?? error.message, { cause: error });
        throw error;
      }
    },
    close: () => transport.close(),
  };
};

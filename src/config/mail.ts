import { z } from "zod";
import { Email } from "../../schemas/email.ts";
import { isLoopback } from "../domain/loopback.ts";
import type { SmtpSettings } from "../domain/smtp-settings.ts";
import { type ConfigMistake, flag, type Outcome, type Variables } from "./fields.ts";

const SMTP_PORT = 587;
const SMTPS_PORT = 465;
const FORM = "must be like smtp://user:password@mail.example.org:587 or smtps://mail.example.org";

const smtpUrl = z.string().transform((given, context) => {
  const url = URL.parse(given);
  const isSmtp = url?.protocol === "smtp:" || url?.protocol === "smtps:";
  if (url !== null && isSmtp && url.hostname !== "" && /^\/?$/.test(url.pathname) && url.search === "")
    return url;
  context.addIssue({ code: "custom", message: FORM });
  return z.NEVER;
});

/** The variables of e-mail. */
export const mailFields = {
  SMTP_URL: smtpUrl.optional(),
  SMTP_REQUIRE_TLS: flag.optional(),
  MAIL_FROM: Email.optional(),
};
const Mail = z.object(mailFields);

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

const loginOf = ({ username, password }: URL): SmtpSettings["login"] | undefined => {
  if (username === "" && password === "") return null;
  const [user, secret] = [decoded(username), decoded(password)];
  return user === null || secret === null ? undefined : { user, password: secret };
};

const mailOf = ({
  SMTP_URL: url,
  SMTP_REQUIRE_TLS,
  MAIL_FROM: from,
}: z.infer<typeof Mail>): Outcome<SmtpSettings | null> => {
  if (url === undefined) {
    const message = "has no effect: e-mails are sent when SMTP_URL is set";
    const set = Object.entries({ SMTP_REQUIRE_TLS, MAIL_FROM: from }).filter(
      ([, value]) => value !== undefined,
    );
    const mistakes = set.map(([variable]): ConfigMistake => ({ variable, message }));
    return mistakes.length > 0 ? { mistakes } : { settings: null };
  }
  const login = loginOf(url);
  const mistakes: ConfigMistake[] = [];
  if (login === undefined)
    mistakes.push({ variable: "SMTP_URL", message: "has a user or password with a % that encodes nothing" });
  if (from === undefined)
    mistakes.push({ variable: "MAIL_FROM", message: "is not set: the address that e-mails come from" });
  if (login === undefined || from === undefined) return { mistakes };
  const implicitTls = url.protocol === "smtps:";
  const port = url.port === "" ? (implicitTls ? SMTPS_PORT : SMTP_PORT) : Number(url.port);
  // As nodemailer takes it: without the brackets of an IPv6 address.
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const requireTls = SMTP_REQUIRE_TLS ?? !isLoopback(host);
  return { settings: { host, port, implicitTls, requireTls, login, from } };
};

/** What the variables of e-mail mean together; null: none is sent. Variables wrong in themselves are told by the whole. */
export const readMail = (
  set: Variables,
): { readonly mail: SmtpSettings | null; readonly mistakes: readonly ConfigMistake[] } => {
  const parsed = Mail.safeParse(set);
  if (!parsed.success) return { mail: null, mistakes: [] };
  const read = mailOf(parsed.data);
  return "mistakes" in read ? { mail: null, ...read } : { mail: read.settings, mistakes: [] };
};

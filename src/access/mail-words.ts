import { html } from "ghtml";
import type { MailContent } from "../ports/mail.ts";

/** What an e-mail says: in a few sentences, with one thing to do. */
export interface MailWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly action?: { readonly label: string; readonly url: string };
  /** What stands below, smaller: why it came, and what to do if it should not have. */
  readonly note: string;
}

const SERVICE = "Signal Optimization Service";

const textOf = ({ paragraphs, action, note }: MailWords): string =>
  [
    ...paragraphs,
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    `-- \n${SERVICE}\n${note}`,
  ].join("\n\n");

const buttonOf = ({ label, url }: NonNullable<MailWords["action"]>): string => html`<p style="margin:24px 0">
<a href="${url}" style="background:#071455;color:#ffffff;padding:12px 20px;border-radius:6px;text-decoration:none;font-weight:600">${label}</a>
</p>
<p style="color:#5b6270;font-size:13px">Or open this address:<br><a href="${url}" style="color:#071455;word-break:break-all">${url}</a></p>`;

const htmlOf = ({ subject, paragraphs, action, note }: MailWords): string => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#16181d;font:16px/1.5 sans-serif">
<div style="max-width:520px;margin:0 auto;padding:24px 32px;background:#ffffff;border:1px solid #d5d9e0;border-radius:12px">
<h1 style="font-size:20px;line-height:1.3">${subject}</h1>
!${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`).join("\n")}
!${action === undefined ? "" : buttonOf(action)}
<p style="margin-top:32px;padding-top:16px;border-top:1px solid #d5d9e0;color:#5b6270;font-size:13px">${SERVICE}<br>${note}</p>
</div>
</body>
</html>
`;

/** The same in text and in HTML; nothing in it is fetched from anywhere. */
export const mailContent = (words: MailWords): MailContent => ({
  subject: words.subject,
  text: `${textOf(words)}\n`,
  html: htmlOf(words),
});

import { html } from "ghtml";
import { mailButton, mailDocument, textSignature } from "../domain/mail-document.ts";
import type { MailContent } from "../ports/mail.ts";

/** What an e-mail says: in a few sentences, with one thing to do. */
export interface MailWords {
  readonly subject: string;
  readonly paragraphs: readonly string[];
  readonly action?: { readonly label: string; readonly url: string };
  /** What stands below, smaller: why it came, and what to do if it should not have. */
  readonly note: string;
}

const textOf = ({ paragraphs, action, note }: MailWords): string =>
  [
    ...paragraphs,
    ...(action === undefined ? [] : [`${action.label}:\n${action.url}`]),
    textSignature(note),
  ].join("\n\n");

const htmlOf = ({ subject, paragraphs, action, note }: MailWords): string =>
  mailDocument({
    title: subject,
    body: html`!${paragraphs.map((paragraph) => html`<p>${paragraph}</p>`).join("\n")}
!${action === undefined ? "" : mailButton(action)}`,
    note: html`${note}`,
  });

/** The same in text and in HTML; nothing in it is fetched from anywhere. */
export const mailContent = (words: MailWords): MailContent => ({
  subject: words.subject,
  text: `${textOf(words)}\n`,
  html: htmlOf(words),
});

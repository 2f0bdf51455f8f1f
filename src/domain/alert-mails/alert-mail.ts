import { html } from "ghtml";
import type { Email } from "../../../schemas/email.ts";
import { mailButton, mailDocument, textSignature } from "../mail-document.ts";
import { type AlertLine, alertLine } from "./alert-line.ts";
import type { FollowedAlert } from "./box.ts";
import { plainName } from "./plain-name.ts";
import type { RuleNews } from "./rule-news.ts";

/** Alerts that one e-mail lists; the others are counted. */
export const LISTED_MAX = 50;

export interface AlertMail {
  readonly recipient: Email;
  /** At least one rule. */
  readonly news: readonly RuleNews[];
  /** Of these rules: all that are followed, or as many as are listed. */
  readonly alerts: readonly FollowedAlert[];
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly stopUrl: string;
}

interface Section {
  readonly rule: string;
  readonly lines: readonly AlertLine[];
  /** What of those that are not listed; null: all are. */
  readonly more: string | null;
}

const shownCount = (count: number): string => count.toLocaleString("en-US");
const sum = (news: readonly RuleNews[], field: "firing" | "resolved" | "news"): number =>
  news.reduce((total, each) => total + each[field], 0);

const alertsAre = (count: number): string => (count === 1 ? "1 alert" : `${shownCount(count)} alerts`);
const ofRules = ([first, ...others]: readonly RuleNews[]): string =>
  first !== undefined && others.length === 0 ? plainName(first.ruleName) : `${others.length + 1} rules`;

/** One alert is told by its signal, several by how many they are. */
const subjectOf = ({ news, alerts }: AlertMail): string => {
  const [firing, resolved] = [sum(news, "firing"), sum(news, "resolved")];
  const [only] = alerts;
  const state = firing > 0 ? "firing" : "resolved";
  if (only !== undefined && firing + resolved === 1)
    return `[${state}] ${plainName(only.ruleName)}: ${plainName(only.signalName)}`;
  const also = firing > 0 && resolved > 0 ? `, ${shownCount(resolved)} resolved` : "";
  return `[${state}] ${ofRules(news)}: ${alertsAre(firing > 0 ? firing : resolved)}${also}`;
};

/** Of those that are not listed; `isAll`: none is. */
const moreOf = (firing: number, resolved: number, isAll: boolean): string | null => {
  const more = isAll ? "" : "more ";
  const said = [
    ...(firing > 0 ? [`${shownCount(firing)} ${more}firing`] : []),
    ...(resolved > 0 ? [`${shownCount(resolved)} ${more}resolved`] : []),
  ];
  return said.length === 0 ? null : `${isAll ? "" : "and "}${said.join(", ")}`;
};

const sectionsOf = ({ news, alerts, publicUrl }: AlertMail): Section[] =>
  news.map(({ ruleId, ruleName, firing, resolved }) => {
    const own = alerts.filter((alert) => alert.ruleId === ruleId);
    const listed = own.filter(({ state }) => state === "firing").length;
    return {
      rule: plainName(ruleName),
      lines: own.map((alert) => alertLine(alert, publicUrl)),
      more: moreOf(firing - listed, resolved - (own.length - listed), own.length === 0),
    };
  });

/** What is not listed is told of, too. */
const standsFor = (mail: AlertMail): string | null => {
  const count = sum(mail.news, "news");
  return count <= mail.alerts.length
    ? null
    : `This e-mail stands for ${shownCount(count)} changes of alerts. What happens together is told together, and no address gets more than 20 such e-mails an hour.`;
};

const noteOf = ({ news, recipient }: AlertMail): string => {
  const [first, ...others] = news;
  const rules =
    first !== undefined && others.length === 0
      ? `the alert rule “${plainName(first.ruleName)}” names`
      : "alert rules name";
  return `You get this e-mail because ${rules} ${recipient}.`;
};

const sectionText = ({ rule, lines, more }: Section): string =>
  [
    `${rule}:`,
    ...lines.map(({ name, what, url }) => `- ${name} ${what}\n  ${url}`),
    ...(more === null ? [] : [`- ${more}`]),
  ].join("\n");

const textOf = (mail: AlertMail): string => {
  const stands = standsFor(mail);
  const signature = `${textSignature(noteOf(mail))}\nStop these e-mails: ${mail.stopUrl}`;
  const sections = sectionsOf(mail).map(sectionText);
  return [...sections, ...(stands === null ? [] : [stands]), signature].join("\n\n");
};

const sectionHtml = ({
  rule,
  lines,
  more,
}: Section): string => html`<p style="margin-bottom:4px"><strong>${rule}</strong></p>
<ul style="margin:0 0 16px;padding-left:20px">
!${lines
  .map(({ name, what, url }) => html`<li><a href="${url}" style="color:#071455">${name}</a> ${what}</li>`)
  .join("\n")}
!${more === null ? "" : html`<li>${more}</li>`}
</ul>`;

const htmlOf = (mail: AlertMail, title: string): string => {
  const sections = sectionsOf(mail);
  const lines = sections.flatMap((section) => section.lines);
  const [only] = lines;
  const stands = standsFor(mail);
  const why = only !== undefined && lines.length === 1 ? mailButton({ label: "See why", url: only.url }) : "";
  return mailDocument({
    title,
    body: html`!${sections.map(sectionHtml).join("\n")}
!${why}
!${stands === null ? "" : html`<p>${stands}</p>`}`,
    note: html`${noteOf(mail)}<br><a href="${mail.stopUrl}" style="color:#5b6270">Stop these e-mails</a>`,
  });
};

/** What is told of alerts, in text and in HTML; names in it are whatever somebody called a signal. */
export const alertMail = (
  mail: AlertMail,
): { readonly subject: string; readonly text: string; readonly html: string } => {
  const subject = subjectOf(mail);
  return { subject, text: `${textOf(mail)}\n`, html: htmlOf(mail, subject) };
};

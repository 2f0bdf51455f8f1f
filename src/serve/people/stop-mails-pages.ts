import type { FastifyReply } from "fastify";
import { html } from "ghtml";
import { z } from "zod";
import { chooseMails, lookAtMails, type MailChoice, type MailWish } from "../../access/stop-mails.ts";
import type { App } from "../app.ts";
import { type Page, sendPage } from "../pages/page.ts";
import { BY_LINK, formOf, type PageParts } from "./page-parts.ts";

/** One click in a mail program (RFC 8058, section 3.1), or a button of the page. */
const ONE_CLICK = { field: "List-Unsubscribe", value: "One-Click" } as const;
const Form = z.union([
  z.object({ [ONE_CLICK.field]: z.literal(ONE_CLICK.value) }).transform((): MailWish => "stop-rule"),
  z.object({ wish: z.enum(["stop-rule", "stop-all", "resume"]) }).transform(({ wish }): MailWish => wish),
]);
const ONE_CLICK_BYTES_MAX = 4_096;
/** The one field that mail programs send as multipart/form-data (RFC 7578), which may stand among others. */
const ONE_CLICK_PART = new RegExp(
  `^content-disposition: *form-data; *name="?${ONE_CLICK.field}"?\\r?\\n(?:[^\\r\\n]+\\r?\\n)*\\r?\\n${ONE_CLICK.value}\\r?$`,
  "im",
);

const OVER: Page = {
  title: "This link works no more",
  body: html`<p>It has expired, or is not complete. Take the one in a newer e-mail.</p>`,
};

const BUTTONS: Readonly<Record<MailWish, string>> = {
  "stop-rule": "Stop those of this rule",
  "stop-all": "Stop all alert e-mails",
  resume: "Send them again",
};

const buttonOf = (token: string, wish: MailWish, isFirst: boolean): string =>
  html`<form method="post" action="/stop-mails/${token}"><input type="hidden" name="wish" value="${wish}">
<button class="${isFirst ? "" : "second"}">${BUTTONS[wish]}</button></form>`;

const rulesOf = ({ ruleId, ruleName }: MailChoice): string => {
  if (ruleId === null) return "alert rules that name it";
  return ruleName === null ? "a rule that is gone" : `the alert rule “${ruleName}”`;
};

const wishesOf = ({ ruleId, stopped }: MailChoice): readonly MailWish[] => {
  if (stopped === "all") return ["resume"];
  if (stopped !== null) return ["resume", "stop-all"];
  return ruleId === null ? ["stop-all"] : ["stop-rule", "stop-all"];
};

const sentenceOf = (choice: MailChoice): string => {
  const { recipient, stopped } = choice;
  if (stopped === "all")
    return html`<p><strong>${recipient}</strong> gets no more alert e-mails of this account.</p>`;
  return stopped === null
    ? html`<p><strong>${recipient}</strong> gets e-mails of ${rulesOf(choice)}.</p>`
    : html`<p><strong>${recipient}</strong> gets no more e-mails of ${rulesOf(choice)}.</p>`;
};

const choicePage = (token: string, choice: MailChoice): Page => ({
  title: choice.stopped === null ? "Stop alert e-mails?" : "Stopped",
  body: html`!${sentenceOf(choice)}
!${wishesOf(choice)
    .map((wish, at) => buttonOf(token, wish, at === 0))
    .join("\n")}
<p class="faint"><br>Whoever looks after the rules sees what is stopped. This link works for 90 days from its e-mail on, and more than once.</p>`,
});

const answer = (reply: FastifyReply, token: string, choice: MailChoice | null) =>
  choice === null ? sendPage(reply, OVER, 410) : sendPage(reply, choicePage(token, choice));

/** Where the links of alert e-mails lead: to look changes nothing, and a mail program may ask without the page. */
export const stopMailsPages = (app: App, { access, by }: PageParts): void => {
  app.addContentTypeParser(
    "multipart/form-data",
    { parseAs: "string", bodyLimit: ONE_CLICK_BYTES_MAX },
    (_request, body, done) => {
      const isOneClick = ONE_CLICK_PART.test(body.toString());
      done(null, isOneClick ? { [ONE_CLICK.field]: ONE_CLICK.value } : {});
    },
  );

  app.get("/stop-mails/:token", BY_LINK, async (request, reply) => {
    const { token } = request.params;
    return answer(reply, token, await lookAtMails(access, token));
  });

  app.post("/stop-mails/:token", BY_LINK, async (request, reply) => {
    const { token } = request.params;
    return answer(reply, token, await chooseMails(by(request), token, formOf(Form, request)));
  });
};

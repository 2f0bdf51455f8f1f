import type { FastifyRequest } from "fastify";
import { html } from "ghtml";
import { type KeptMail, MailboxAnswer } from "../../../schemas/mailbox.ts";
import { isLoopback } from "../../domain/loopback.ts";
import type { App } from "../app.ts";
import { isLocal } from "../authentication.ts";
import { sendPage } from "../pages/page.ts";
import type { Parts } from "../parts.ts";
import { notFound } from "../problem.ts";

const SHOWN_MAX = 50;

/** Links as links; all else as it is. */
const withLinks = (text: string): string =>
  text
    .split(/(https?:\/\/\S+)/)
    .map((part, at) => (at % 2 === 1 ? html`<a href="${part}">${part}</a>` : html`${part}`))
    .join("");

const articleOf = ({ at, to, subject, text }: KeptMail): string => html`<article>
<strong>${subject}</strong>
<div class="faint">to ${to}, ${at}</div>
<pre>!${withLinks(text)}</pre>
</article>`;

const bodyOf = (mails: readonly KeptMail[]): string =>
  html`<p class="faint">SMTP_URL is not set, so e-mails are kept in the data directory instead of sent. Only a browser on this machine is shown this page.</p>
!${mails.length === 0 ? "<p>No e-mail yet.</p>" : mails.map(articleOf).join("")}`;

/** The page that a name elsewhere leads to, resolved to this machine, is not asked for by the person at it. */
const isByLocalName = ({ hostname }: FastifyRequest): boolean => isLoopback(hostname);

/** E-mails that were kept instead of sent: with links that let people in, so for this machine alone. */
export const mailboxRoute = (app: App, { mailbox, settings }: Pick<Parts, "mailbox" | "settings">): void => {
  if (mailbox === null) return;
  app.get(
    "/dev/mailbox",
    { config: { access: "public" }, schema: { hide: true } },
    async (request, reply) => {
      if (settings.trustProxy || !isLocal(request) || !isByLocalName(request))
        throw notFound("page here, but for this machine itself");
      const mails = await mailbox.newest(SHOWN_MAX);
      if (request.headers.accept?.includes("application/json") === true)
        return reply.header("Cache-Control", "no-store").send(MailboxAnswer.parse({ mails }));
      return sendPage(reply, { title: "Mailbox", body: bodyOf(mails), isWide: true });
    },
  );
};

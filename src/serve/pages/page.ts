import type { FastifyReply } from "fastify";
import { html } from "ghtml";

/** Where the style of all pages is. */
export const STYLE_PATH = "/pages.css";

/** Nothing from elsewhere, no script, no frame; forms come back here. */
const policyOf = ({ leadsTo }: Page): string =>
  [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    `form-action 'self'${leadsTo === undefined ? "" : ` ${leadsTo}`}`,
    "frame-ancestors 'none'",
  ].join("; ");

const HEADERS = {
  "Content-Type": "text/html; charset=utf-8",
  // Links that let people in must not be told to where a page points. With no-referrer, browsers say of forms that they
  // come from nowhere, and none would be taken.
  "Referrer-Policy": "same-origin",
  "X-Content-Type-Options": "nosniff",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cache-Control": "no-store",
} as const;

export interface Page {
  readonly title: string;
  /** HTML: what comes from elsewhere in it is escaped. */
  readonly body: string;
  /** For lists rather than forms. */
  readonly isWide?: boolean;
  /** The origin to which the answer to its form leads on: browsers count that as a place that the form is sent to. */
  readonly leadsTo?: string;
}

const documentOf = ({ title, body, isWide = false }: Page): string => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Signal Optimization Service</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${STYLE_PATH}">
</head>
<body>
<main class="${isWide ? "wide" : ""}">
<h1>${title}</h1>
!${body}
</main>
</body>
</html>
`;

/** A page as it is sent. */
export const pageAnswer = (page: Page) => ({
  headers: { ...HEADERS, "Content-Security-Policy": policyOf(page) },
  text: documentOf(page),
});

export const sendPage = (reply: FastifyReply, page: Page, status = 200) => {
  const { headers, text } = pageAnswer(page);
  return reply.code(status).headers(headers).send(text);
};

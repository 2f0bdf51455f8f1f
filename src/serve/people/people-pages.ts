import formBody from "@fastify/formbody";
import { html } from "ghtml";
import { PROBLEMS } from "../../../schemas/problem.ts";
import type { App } from "../app.ts";
import { consentPage } from "../oauth/consent-page.ts";
import { devicePages } from "../oauth/device-pages.ts";
import type { OAuth } from "../oauth/oauth.ts";
import { sendPage } from "../pages/page.ts";
import { problemOf } from "../problem-of.ts";
import { firstOwnerPage } from "./first-owner-page.ts";
import { invitationPages } from "./invitation-pages.ts";
import { linkPage } from "./link-page.ts";
import { outsidePages } from "./outside-pages.ts";
import type { PageParts } from "./page-parts.ts";
import { passwordPages } from "./password-pages.ts";
import { provePages } from "./prove-pages.ts";
import { requireOurPage } from "./same-origin.ts";
import { signInPages } from "./sign-in-pages.ts";
import { stopMailsPages } from "./stop-mails-pages.ts";

const FORM_BYTES_MAX = 32 * 1024;

/** What they take is a form; what fails is told on a page. */
const takeForms = (pages: App, { log }: PageParts): void => {
  pages.removeAllContentTypeParsers();
  pages.register(formBody, { bodyLimit: FORM_BYTES_MAX });
  pages.setErrorHandler((error, request, reply) => {
    const problem = problemOf(error);
    const { status, title } = PROBLEMS[problem.code];
    if (status >= 500) log.error({ requestId: request.id, err: problem.cause ?? error }, problem.code);
    const body = html`<p>${problem.detail}</p><p class="faint">Request ${request.id}</p>`;
    return sendPage(reply.headers(problem.headers), { title, body }, status);
  });
};

/** The pages by which people come in. They are whole without scripts. Forms are sent by pages of ours. */
export const peoplePages = async (app: App, parts: PageParts, oauth: OAuth): Promise<void> => {
  await app.register((pages: App, _options: object, done: () => void) => {
    takeForms(pages, parts);
    pages.addHook("preParsing", async (request) => {
      if (request.method === "POST") requireOurPage(request, parts.access.publicUrl);
    });
    signInPages(pages, parts);
    passwordPages(pages, parts);
    invitationPages(pages, parts);
    firstOwnerPage(pages, parts);
    outsidePages(pages, parts);
    linkPage(pages, parts);
    provePages(pages, parts);
    consentPage(pages, parts, oauth);
    devicePages(pages, parts, oauth);
    done();
  });
  // Mail programs ask for it from anywhere: who may is known by the link alone, and by no cookie.
  await app.register((pages: App, _options: object, done: () => void) => {
    takeForms(pages, parts);
    stopMailsPages(pages, parts);
    done();
  });
};

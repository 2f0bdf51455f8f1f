import { html } from "ghtml";
import type { Returned } from "../../access/outside-attempt.ts";
import type { OutsideProvider } from "../../ports/outside-providers.ts";
import type { Page } from "../pages/page.ts";

type Providers = readonly OutsideProvider[];

const withNext = (path: string, next: string): string =>
  next === "/" ? path : `${path}?next=${encodeURIComponent(next)}`;

/**
 * Links, and no forms: browsers hold where a form is redirected to against the policy of its page (CSP form-action), which
 * lets forms come back here alone. What a link of another site could begin is stopped where the link leads.
 */
const links = (
  providers: Providers,
  say: (name: string) => string,
  pathOf: (id: string) => string,
): string =>
  providers.length === 0
    ? ""
    : html`<div class="others">!${providers.map(({ id, name }) => html`<a class="button second" href="${pathOf(id)}">${say(name)}</a>`).join("\n")}</div>`;

export const signInLinks = (providers: Providers, next: string): string =>
  links(
    providers,
    (name) => `Sign in with ${name}`,
    (id) => withNext(`/sign-in/with/${id}`, next),
  );
export const acceptLinks = (providers: Providers, token: string): string =>
  links(
    providers,
    (name) => `Or sign in with ${name}, without a password`,
    (id) => `/set-password/${token}/with/${id}`,
  );
export const linkLinks = (providers: Providers): string =>
  links(
    providers,
    (name) => `Link an account at ${name}`,
    (id) => `/link/with/${id}`,
  );
export const proveLinks = (providers: Providers, next: string): string =>
  links(
    providers,
    (name) => `Sign in with ${name} once more`,
    (id) => withNext(`/prove/with/${id}`, next),
  );

/** Where somebody who did not arrive may try again. */
const againPath = (returned: Exclude<Returned, { state: "vouched" }>): string => {
  if (returned.state === "over") return "/sign-in";
  const { intent, next } = returned.attempt;
  switch (intent.kind) {
    case "sign-in":
      return withNext("/sign-in", next);
    case "accept":
      return `/set-password/${intent.token}`;
    case "link":
      return "/link";
    case "prove":
      return withNext("/prove", next);
  }
};

export const problemPage = (title: string, what: string, againAt: string, again = "Try again"): Page => ({
  title,
  body: html`<p class="problem" role="alert">${what}</p><p><a class="button" href="${againAt}">${again}</a></p>`,
});

export const unavailablePage = ({ name }: OutsideProvider, againAt: string): Page =>
  problemPage(
    `${name} does not answer`,
    `${name} cannot be reached, or does not answer as it should. Try again soon; signing in with a password works as ever.`,
    againAt,
  );

export const LOCKED = "There were too many attempts. Try again, in 15 minutes at the latest.";
const NOT_SIGNED_IN = "You were not signed in";

/** Why nobody arrived from a provider, with the status that says it, too. */
export const failurePage = (
  provider: OutsideProvider,
  returned: Exclude<Returned, { state: "vouched" }>,
): readonly [page: Page, status: number] => {
  const againAt = againPath(returned);
  const { name } = provider;
  switch (returned.state) {
    case "over": {
      const what = "That took too long, was done before, or was begun in another browser or another window.";
      return [problemPage(NOT_SIGNED_IN, what, againAt), 400];
    }
    case "declined":
      return [problemPage(NOT_SIGNED_IN, `${name} did not say who you are.`, againAt), 401];
    case "refused": {
      const isProof = returned.attempt.intent.kind === "prove";
      const what = isProof
        ? `${name} did not show that you have signed in there just now. If it never does, set a password: sign out, and follow “Forgot your password?”.`
        : `What ${name} answered cannot be trusted.`;
      return [problemPage(NOT_SIGNED_IN, what, againAt), 401];
    }
    case "locked":
      return [problemPage(NOT_SIGNED_IN, LOCKED, againAt), 429];
    case "unavailable":
      return [unavailablePage(provider, againAt), 503];
  }
};

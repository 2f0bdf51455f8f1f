import { html } from "ghtml";
import type { Page } from "../pages/page.ts";
import { problemHtml } from "./page-parts.ts";

/** Asks for a code of the second factor, to be sent to `action`. */
export const codePage = (action: string, next: string, problem: string | null = null): Page => ({
  title: "Enter a code",
  body: html`!${problemHtml(problem)}
<p>Open your authenticator app, or take one of your recovery codes.</p>
<form method="post" action="${action}">
<input type="hidden" name="next" value="${next}">
<label for="code">Code</label>
<input id="code" name="code" autocomplete="one-time-code" inputmode="text" required autofocus>
<button>Go on</button>
</form>`,
});

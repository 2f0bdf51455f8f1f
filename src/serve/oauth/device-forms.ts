import { html } from "ghtml";
import type { AccountId } from "../../../schemas/common.ts";
import type { Role } from "../../../schemas/role.ts";
import type { Asked, NoOffer, Offer } from "../../access/consent.ts";
import type { Page } from "../pages/page.ts";
import { problemHtml } from "../people/page-parts.ts";
import { askingHtml, decisionHtml } from "./asking.ts";
import type { WaitingDevice } from "./device.ts";
import { PATHS } from "./paths.ts";

export const DECISION_PATH = `${PATHS.device}/decision`;

export const codePage = (userCode: string, problem: string | null = null): Page => ({
  title: "Connect a device",
  body: html`!${problemHtml(problem)}
<p>Type the code that the device or the terminal shows you.</p>
<form method="post" action="${PATHS.device}">
<label for="user_code">Code</label>
<input id="user_code" name="user_code" autocomplete="off" autocapitalize="characters" spellcheck="false" required autofocus value="${userCode}">
<button>Go on</button>
</form>`,
});

export const donePage = (title: string, text: string): Page => ({ title, body: html`<p>${text}</p>` });

/** An account that it could be for. */
export interface Choice {
  readonly accountId: AccountId;
  readonly role: Role;
}

/** A form of its own: what is allowed is always what the page says. */
const choiceHtml = (shownCode: string, choices: readonly Choice[], chosen: AccountId | null): string => {
  if (choices.length < 2) return "";
  const options = choices.map(
    ({ accountId, role }) =>
      html`<option value="${accountId}" !${accountId === chosen ? "selected" : ""}>${accountId} (${role})</option>`,
  );
  return html`<form method="post" action="${DECISION_PATH}">
<input type="hidden" name="user_code" value="${shownCode}">
<label for="account">In another account</label>
<select id="account" name="account">!${options.join("")}</select>
<button class="second" name="decision" value="look">Show what it would mean there</button>
</form>`;
};

interface Question {
  readonly device: WaitingDevice;
  readonly asked: Asked;
  readonly offer: Offer | NoOffer;
  /** In which account; and in which others it could be. */
  readonly chosen: AccountId | null;
  readonly choices: readonly Choice[];
}

export const questionPage = ({ device, asked, offer, chosen, choices }: Question, email: string): Page => ({
  title: "Let a device in?",
  body: html`!${askingHtml(asked, email, offer)}
<p>Allow it only if you began this yourself, just now, and the device shows <strong>${device.shownCode}</strong>. Nobody who calls or writes to you needs this code.</p>
<form method="post" action="${DECISION_PATH}">
<input type="hidden" name="user_code" value="${device.shownCode}">
!${chosen === null ? "" : html`<input type="hidden" name="account" value="${chosen}">`}
!${decisionHtml(offer)}
</form>
!${choiceHtml(device.shownCode, choices, chosen)}`,
});

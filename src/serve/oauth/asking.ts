import { html } from "ghtml";
import type { Scope } from "../../../schemas/api-key.ts";
import type { Asked, NoOffer, Offer } from "../../access/consent.ts";

const MEANING: Readonly<Record<Scope, string>> = {
  read: "see everything in the account: signals, their history, alerts and settings",
  write: "change signals, sources, alert rules and webhooks, and send readings",
  admin: "do everything that you may, people and keys included",
};

const WHY_NOT: Readonly<Record<NoOffer, string>> = {
  "no-member": "You are not in the account that it is for, or suspended there.",
  "second-factor":
    "This account asks for a second factor: set one up in your security settings, and sign in with it.",
  role: "Your role in the account does not allow anything of what it asks for.",
};

export const isOffer = (offer: Offer | NoOffer): offer is Offer => typeof offer === "object";

const listOf = (scopes: readonly Scope[]): string =>
  `<ul>${scopes.map((scope) => html`<li>${MEANING[scope]}</li>`).join("")}</ul>`;

const notOffered = ({ scopes: asked }: Asked, { scopes }: Offer): string => {
  const beyond = asked.filter((scope) => !scopes.includes(scope));
  if (beyond.length === 0) return "";
  return html`<p class="faint">It also asks for <code>${beyond.join(" ")}</code>, which your role does not allow: it does not get that.</p>`;
};

/** Which program asks whom for what, and in which account. */
export const askingHtml = (asked: Asked, email: string, offer: Offer | NoOffer): string => {
  const { name } = asked.program.settings;
  if (!isOffer(offer))
    return html`<p><strong>${name}</strong> asks to act for you, <strong>${email}</strong>.</p>
<p class="problem" role="alert">${WHY_NOT[offer]}</p>`;
  return html`<p><strong>${name}</strong> asks to act for you, <strong>${email}</strong>, in the account <strong>${offer.accountName ?? offer.accountId}</strong>. It may then</p>
!${listOf(offer.scopes)}
!${notOffered(asked, offer)}
<p class="faint">Never more than your role allows (${offer.role}, now), and until you take it back.</p>`;
};

/** To be put into the form; where there is nothing to allow, it can only be refused. */
export const decisionHtml = (offer: Offer | NoOffer): string =>
  `${isOffer(offer) ? '<button name="decision" value="allow">Allow</button> ' : ""}<button class="second" name="decision" value="refuse">Refuse</button>`;

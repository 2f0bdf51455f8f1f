import { html } from "ghtml";
import type { ErrorOut, KoaContextWithOIDC } from "oidc-provider";
import { pageAnswer } from "../pages/page.ts";

/** What a browser is shown that cannot be sent back to whoever sent it here: a wrong client, a wrong address. */
export const renderFailure = (ctx: KoaContextWithOIDC, out: ErrorOut): void => {
  const { headers, text } = pageAnswer({
    title: "This cannot be allowed",
    body: html`<p>The program that sent you here asked in a way that cannot be answered. Go back to it, and tell those who make it.</p>
<pre>${out.error}: ${out.error_description ?? "no more is known"}</pre>`,
  });
  ctx.set(headers);
  ctx.body = text;
};

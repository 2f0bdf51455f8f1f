import { html } from "ghtml";

const SERVICE = "Signal Optimization Service";

/** What stands below a text: who sends it, and why it came. */
export const textSignature = (note: string): string => `-- \n${SERVICE}\n${note}`;

/** A link that is to be followed. */
export const mailButton = ({ label, url }: { readonly label: string; readonly url: string }): string =>
  html`<p style="margin:24px 0">
<a href="${url}" style="background:#071455;color:#ffffff;padding:12px 20px;border-radius:6px;text-decoration:none;font-weight:600">${label}</a>
</p>
<p style="color:#5b6270;font-size:13px">Or open this address:<br><a href="${url}" style="color:#071455;word-break:break-all">${url}</a></p>`;

/** An e-mail as HTML, of which nothing is fetched from anywhere; `body` and `note` are HTML, in which all else is escaped. */
export const mailDocument = ({
  title,
  body,
  note,
}: {
  readonly title: string;
  readonly body: string;
  readonly note: string;
}): string => html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${title}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#16181d;font:16px/1.5 sans-serif">
<div style="max-width:520px;margin:0 auto;padding:24px 32px;background:#ffffff;border:1px solid #d5d9e0;border-radius:12px">
<h1 style="font-size:20px;line-height:1.3">${title}</h1>
!${body}
<p style="margin-top:32px;padding-top:16px;border-top:1px solid #d5d9e0;color:#5b6270;font-size:13px">${SERVICE}<br>!${note}</p>
</div>
</body>
</html>
`;

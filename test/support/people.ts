import { expect } from "vitest";
import { MailboxAnswer } from "../../schemas/mailbox.ts";

/** A browser with cookies, for pages without scripts: it follows no link and no redirect by itself. */
export class Browser {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();

  constructor(url: string) {
    this.#url = url;
  }

  get cookies(): ReadonlyMap<string, string> {
    return this.#cookies;
  }

  /** Takes a cookie from elsewhere, as an attacker plants one. */
  plant(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  async open(path: string): Promise<Answer> {
    return this.#ask(path, {});
  }

  /** As by a link of a page of the service, or of another one that `site` says. */
  async follow(path: string, site = "same-origin"): Promise<Answer> {
    return this.#ask(path, { headers: { "sec-fetch-site": site } });
  }

  /** As a page of the service sends a form. */
  async send(
    path: string,
    fields: Record<string, string>,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    return this.#ask(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin: this.#url, ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  }

  /** As a script of a page of the service calls the API. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<{ status: number; body: unknown }> {
    const { status, text } = await this.#ask(path, {
      method,
      headers: {
        origin: this.#url,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status, body: text === "" ? null : JSON.parse(text) };
  }

  async #ask(path: string, init: RequestInit & { headers?: Record<string, string> }): Promise<Answer> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(new URL(path, this.#url), {
      redirect: "manual",
      ...init,
      headers: { ...init.headers, ...(cookie === "" ? {} : { cookie }) },
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const [name = "", value = ""] = pair.split("=");
      const isOver = attributes.some((attribute) => /^(max-age=0|expires=thu, 01 jan 1970)/i.test(attribute));
      if (isOver) this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return {
      status: response.status,
      location: response.headers.get("location"),
      headers: response.headers,
      text: await response.text(),
    };
  }
}

export interface Answer {
  readonly status: number;
  readonly location: string | null;
  readonly headers: Headers;
  readonly text: string;
}

/** The newest e-mail to somebody of those that the service kept, and the path of the link in it. */
export const newestMail = async (url: string, to: string) => {
  const answer = await fetch(`${url}/dev/mailbox`, { headers: { accept: "application/json" } });
  const { mails } = MailboxAnswer.parse(await answer.json());
  const mail = mails.find((one) => one.to === to);
  if (mail === undefined) return null;
  const [link = ""] = /https?:\/\/\S+/.exec(mail.text) ?? [];
  expect(mail.html).not.toMatch(/<(img|script|link)\b/);
  return { ...mail, path: link.slice(url.length) };
};

import type { CookieSerializeOptions } from "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { CHALLENGE_MS, OUTSIDE_MS, SESSION_MS } from "../../domain/access/limits.ts";
import { isToken } from "../../domain/access/secret-token.ts";

const SEALED = /^[A-Za-z0-9_-]{1,3800}$/;
const isSealed = (text: string): boolean => SEALED.test(text);

const COOKIES = {
  session: { maxAgeMs: SESSION_MS, isOne: isToken },
  challenge: { maxAgeMs: CHALLENGE_MS, isOne: isToken },
  outside: { maxAgeMs: OUTSIDE_MS, isOne: isSealed },
} as const;
type CookieName = keyof typeof COOKIES;

/**
 * What browsers keep: tokens, and what is sealed while somebody is at an outside provider. Over HTTPS under `__Host-` (RFC
 * 6265bis, section 4.1.3.2), so that no neighbouring host can plant one; on this machine without TLS, where browsers refuse
 * that prefix, under the bare name.
 */
export class TokenCookies {
  readonly #isSecure: () => boolean;

  constructor(isSecure: () => boolean) {
    this.#isSecure = isSecure;
  }

  /** Null where there is none of its form. */
  read(request: FastifyRequest, name: CookieName): string | null {
    const text = request.cookies[this.#nameOf(name)];
    return text !== undefined && COOKIES[name].isOne(text) ? text : null;
  }

  set(reply: FastifyReply, name: CookieName, text: string): void {
    const maxAge = COOKIES[name].maxAgeMs / 1_000;
    reply.setCookie(this.#nameOf(name), text, { ...this.#attributes(), maxAge });
  }

  clear(reply: FastifyReply, name: CookieName): void {
    reply.clearCookie(this.#nameOf(name), this.#attributes());
  }

  #nameOf(name: CookieName): string {
    return this.#isSecure() ? `__Host-${name}` : name;
  }

  #attributes(): CookieSerializeOptions {
    return { path: "/", httpOnly: true, secure: this.#isSecure(), sameSite: "lax" };
  }
}

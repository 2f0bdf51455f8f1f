import type { CookieSerializeOptions } from "@fastify/cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { CHALLENGE_MS, SESSION_MS } from "../../domain/access/limits.ts";
import { isToken } from "../../domain/access/secret-token.ts";

const MAX_AGE_S = { session: SESSION_MS / 1_000, challenge: CHALLENGE_MS / 1_000 } as const;
type CookieName = keyof typeof MAX_AGE_S;

/**
 * The tokens that browsers keep. Over HTTPS under `__Host-` (RFC 6265bis, section 4.1.3.2), so that no neighbouring host
 * can plant one; on this machine without TLS, where browsers refuse that prefix, under the bare name.
 */
export class TokenCookies {
  readonly #isSecure: () => boolean;

  constructor(isSecure: () => boolean) {
    this.#isSecure = isSecure;
  }

  /** Null where there is none of the form of a token. */
  read(request: FastifyRequest, name: CookieName): string | null {
    const text = request.cookies[this.#nameOf(name)];
    return text !== undefined && isToken(text) ? text : null;
  }

  set(reply: FastifyReply, name: CookieName, token: string): void {
    reply.setCookie(this.#nameOf(name), token, { ...this.#attributes(), maxAge: MAX_AGE_S[name] });
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

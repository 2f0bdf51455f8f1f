import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { onTestFinished } from "vitest";
import type { OutsideProviderSettings } from "../../src/domain/outside-settings.ts";
import { portOf } from "./port.ts";

interface Code {
  readonly redirectUri: string;
  readonly challenge: string;
  readonly claims: JWTPayload;
}

/** What the issuer does otherwise than it should; each is given what would have been right. */
export interface Misdeeds {
  /** Before anything else: true, and the answer was given already. */
  readonly intercept?: (path: string, response: ServerResponse) => boolean;
  readonly metadata?: (right: Record<string, unknown>) => unknown;
  /** Where the browser is sent back to. */
  readonly back?: (right: URL) => URL;
  readonly claims?: (right: JWTPayload) => JWTPayload;
  /** The ID token. */
  readonly token?: (right: string, claims: JWTPayload) => string | Promise<string>;
}

const CLIENT = { id: "signals", secret: "a secret: with=everything & ümlauts" };

const basic = ({ headers }: IncomingMessage): string | null => {
  const [, pair = ""] = /^Basic (.+)$/.exec(headers.authorization ?? "") ?? [];
  const [id, secret] = Buffer.from(pair, "base64").toString().split(":");
  const decode = (part = "") => decodeURIComponent(part.replaceAll("+", " "));
  return decode(id) === CLIENT.id ? decode(secret) : null;
};

/** A small OpenID Connect provider on loopback, where `person` is signed in, and which can be told to break each rule. */
export class TestIssuer {
  readonly asked: string[] = [];
  /** Who is signed in there, and since when (Unix s). */
  person: { sub: string; since: number; [claim: string]: unknown } = { sub: "jane-there", since: 0 };
  misdeeds: Misdeeds = {};
  readonly #codes = new Map<string, Code>();
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #keys: Awaited<ReturnType<typeof generateKeyPair>> | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#keys ??= await generateKeyPair("ES256");
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = portOf(this.#server);
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  settings(id = "elsewhere", other: Partial<OutsideProviderSettings> = {}): OutsideProviderSettings {
    const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret, clientAuth: null };
    return { id, name: "Elsewhere", issuer: this.url, ...client, ...other };
  }

  /** A token of these claims by the issuer's own key. */
  sign(claims: JWTPayload): Promise<string> {
    if (this.#keys === null) throw new Error("the issuer was not started");
    return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid: "1" }).sign(this.#keys.privateKey);
  }

  /** As its page does, once the person has said yes: where the browser is sent back to. */
  async approve(address: string): Promise<string> {
    const answer = await fetch(address, { redirect: "manual" });
    const location = answer.headers.get("location");
    if (location === null) throw new Error(`${answer.status} ${await answer.text()}`);
    return location;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", this.url);
    this.asked.push(url.pathname);
    if (this.misdeeds.intercept?.(url.pathname, response) === true) return;
    const json = (status: number, body: unknown) =>
      response
        .writeHead(status, { "content-type": "application/json" })
        .end(typeof body === "string" ? body : JSON.stringify(body));
    if (url.pathname === "/.well-known/openid-configuration") json(200, this.#metadata());
    else if (url.pathname === "/jwks") json(200, { keys: [await this.#publicKey()] });
    else if (url.pathname === "/authorize") response.writeHead(302, { location: this.#back(url).href }).end();
    else if (url.pathname === "/token") {
      const { status, body } = await this.#exchange(request, new URLSearchParams(await text(request)));
      json(status, body);
    } else json(404, {});
  }

  #metadata(): unknown {
    const right = {
      issuer: this.url,
      authorization_endpoint: `${this.url}/authorize`,
      token_endpoint: `${this.url}/token`,
      jwks_uri: `${this.url}/jwks`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
      authorization_response_iss_parameter_supported: true,
    };
    return this.misdeeds.metadata?.(right) ?? right;
  }

  async #publicKey(): Promise<object> {
    if (this.#keys === null) throw new Error("the issuer was not started");
    return { ...(await exportJWK(this.#keys.publicKey)), kid: "1", use: "sig", alg: "ES256" };
  }

  #back({ searchParams: asked }: URL): URL {
    const now = Math.floor(Date.now() / 1_000);
    const { since, ...person } = this.person;
    const code = `code-${this.#codes.size}`;
    this.#codes.set(code, {
      redirectUri: asked.get("redirect_uri") ?? "",
      challenge: asked.get("code_challenge") ?? "",
      claims: {
        ...person,
        iss: this.url,
        aud: asked.get("client_id") ?? "",
        nonce: asked.get("nonce") ?? "",
        iat: now,
        exp: now + 300,
        auth_time: asked.get("prompt") === "login" ? now : since,
      },
    });
    const back = new URL(asked.get("redirect_uri") ?? "");
    back.search = new URLSearchParams({ code, state: asked.get("state") ?? "", iss: this.url }).toString();
    return this.misdeeds.back?.(back) ?? back;
  }

  async #exchange(
    request: IncomingMessage,
    sent: URLSearchParams,
  ): Promise<{ status: number; body: unknown }> {
    if ((basic(request) ?? sent.get("client_secret")) !== CLIENT.secret)
      return { status: 401, body: { error: "invalid_client" } };
    const code = this.#codes.get(sent.get("code") ?? "");
    this.#codes.delete(sent.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(sent.get("code_verifier") ?? "")
      .digest("base64url");
    if (code?.challenge !== challenge || code.redirectUri !== sent.get("redirect_uri"))
      return { status: 400, body: { error: "invalid_grant" } };
    const claims = this.misdeeds.claims?.(code.claims) ?? code.claims;
    const right = await this.sign(claims);
    const token = (await this.misdeeds.token?.(right, claims)) ?? right;
    return { status: 200, body: { access_token: "opaque", token_type: "Bearer", id_token: token } };
  }
}

/** One that is there until the test is over. */
export const startIssuer = async (): Promise<TestIssuer> => {
  const issuer = new TestIssuer();
  await issuer.start();
  onTestFinished(() => issuer.stop());
  return issuer;
};

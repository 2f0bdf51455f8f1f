import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider from "oidc-provider";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { Email } from "../../schemas/email.ts";
import { IdentitiesAnswer, Me } from "../../schemas/me.ts";
import { openIdProviders } from "../../src/adapters/openid/providers.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { TOKEN_BYTES, tokenOf } from "../../src/domain/access/secret-token.ts";
import { Browser } from "../support/people.ts";
import { portOf } from "../support/port.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";

const CLIENT = { client_id: "signals", client_secret: "a secret of forty characters, more or less" };

let engines: TestEngines;
let serve: TestServe;
let issuer: string;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown = () => undefined;
const far = createServer((request, response) => void answer(request, response));

beforeAll(async () => {
  // It warns of what is its default.
  vi.spyOn(console, "warn").mockReturnValue(undefined);
  far.listen(0, "127.0.0.1");
  await once(far, "listening");
  issuer = `http://127.0.0.1:${portOf(far)}`;
  engines = await openTestEngines();
  const { client_id: clientId, client_secret: clientSecret } = CLIENT;
  const settings = { id: "real", name: "Real", issuer, clientId, clientSecret, clientAuth: null };
  const { telemetry } = engines;
  const outside = openIdProviders([settings], { clock: systemClock, telemetry });
  serve = await startTestServe({ ...engines, outside });
  const redirect_uris = [`${serve.url}/sign-in/with/real/callback`];
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, redirect_uris }],
    cookies: { keys: ["a key of the test"] },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    pkce: { required: () => true },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  });
  answer = provider.callback();
});
afterAll(async () => {
  vi.restoreAllMocks();
  await serve.stop();
  await engines.close();
  far.close();
  far.closeAllConnections();
});

/** Answers what the provider's pages ask, until they send the browser back: where to. */
const signInThere = async (there: Browser, address: string, login: string): Promise<string> => {
  let at = address;
  for (let steps = 0; !at.startsWith(serve.url); steps++) {
    if (steps > 20) throw new Error(`still at ${at}`);
    const page = await there.open(at);
    const [, form = ""] = /<form[^>]* action="([^"]+)"/.exec(page.text) ?? [];
    const [, prompt = ""] = /name="prompt" value="(\w+)"/.exec(page.text) ?? [];
    const next = page.status === 200 ? await there.send(form, { prompt, login, password: "any" }) : page;
    if (next.location === null) throw new Error(`${next.status} ${next.text}`);
    at = new URL(next.location, issuer).href;
  }
  return at.slice(serve.url.length);
};

test("somebody invited comes in, signs in, and proves who they are, by a provider as there are many", async () => {
  const { access } = engines.control;
  const email = Email.parse("jane@example.org");
  const invitation = { accountId: engines.accountId, email, role: "owner", accessRequestId: null } as const;
  const { id } = await access.invitations.create(invitation);
  const token = tokenOf(systemEntropy.bytes(TOKEN_BYTES));
  const expiresAt = Date.now() + 60_000;
  await access.links.add(token, { purpose: "set-password", subject: id, content: null, expiresAt });

  const [browser, there] = [new Browser(serve.url), new Browser(issuer)];
  const through = async (path: string) => {
    const left = await browser.follow(path);
    expect([left.status, left.location]).toEqual([303, expect.stringMatching(issuer)]);
    const back = await signInThere(there, left.location ?? "", "jane-there");
    const arrived = await browser.follow(back, "cross-site");
    expect([arrived.status, arrived.text]).toEqual([303, ""]);
    return arrived.location;
  };
  const me = async () => Me.parse((await browser.call("GET", "/v1/me")).body);

  expect(await through(`/set-password/${token}/with/real`)).toBe("/");
  expect(await me()).toMatchObject({ email, role: "owner" });
  await browser.send("/sign-out", {});
  expect((await browser.call("GET", "/v1/me")).status).toBe(401);
  expect(await through("/sign-in/with/real?next=%2Fdocs")).toBe("/docs");
  const { provenAt, sessionId } = await me();
  expect(await through("/prove/with/real?next=%2Flink")).toBe("/link");
  const after = await me();
  expect([after.provenAt > provenAt, after.sessionId]).toEqual([true, sessionId]);
  const { identities } = IdentitiesAnswer.parse((await browser.call("GET", "/v1/me/identities")).body);
  expect(identities).toMatchObject([{ provider: "Real", issuer, subject: "jane-there" }]);
});

import { Secret, TOTP } from "otpauth";
import { expect, test } from "vitest";
import type { z } from "zod";
import { ApiKeyCreated } from "../../schemas/api-key.ts";
import { MailboxAnswer } from "../../schemas/mailbox.ts";
import { RecoveryCodes, SecondFactorProposal } from "../../schemas/me.ts";
import { COMMAND_LINE_CLIENT, OAuthClientSecret } from "../../schemas/oauth-client.ts";
import { OAUTH_PATHS } from "../../schemas/oauth-paths.ts";
import { StreamTicket } from "../../schemas/stream.ts";
import { CreatedWebhook, RotatedSecret } from "../../schemas/webhook.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { filesWith } from "../support/files-with.ts";
import { OWNER } from "../support/first-owner.ts";
import { ask, askTokens, authorized, callWith, registered, tokensIn } from "../support/oauth.ts";
import { Browser } from "../support/people.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const NEXT_PASSWORD = "rain on a copper antenna";
const HEADER = "Bearer of what a source is told 4711";
const LINK_TOKEN = /[\w-]{43}(?=\s)/g;
const ALL_SCOPES = ["read", "write", "admin"];

test("nothing that lets anybody in can be read in what is kept, in the logs, or in the audit log", async () => {
  const dataDirectory = await temporaryDirectory();
  const apiKey = newApiKey();
  const { service, api } = await startService({ dataDirectory, apiKey });
  const url = await service.ready();
  const secrets = new Set([OWNER.password, NEXT_PASSWORD, HEADER, apiKey]);
  const kept = <Value extends string>(secret: Value): Value => {
    secrets.add(secret);
    return secret;
  };
  const owner = new Browser(url);
  const keepSession = () => kept(owner.cookies.get("session") ?? "");
  const made = async <T>(shape: z.ZodType<T>, method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await owner.call(method, path, body);
    expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201])]);
    return shape.parse(answer.body);
  };
  const mailsTo = async () => {
    const mailbox = await fetch(`${url}/dev/mailbox`, { headers: { accept: "application/json" } });
    return MailboxAnswer.parse(await mailbox.json()).mails;
  };

  // A person: the first link, sessions, a second factor, another password, another address.
  const [first = ""] = /\/first-owner\/[\w-]{43}/.exec(service.stdout) ?? [];
  kept(first.slice(-43));
  expect((await owner.send(first, OWNER)).status).toBe(303);
  keepSession();
  const { secret: totp } = await made(SecondFactorProposal, "PUT", "/v1/me/second-factor");
  const code = new TOTP({ secret: Secret.fromBase32(kept(totp)) }).generate();
  const confirmation = await made(RecoveryCodes, "PUT", "/v1/me/second-factor/confirmation", { code });
  keepSession();
  const renewed = await made(RecoveryCodes, "PUT", "/v1/me/recovery-codes");
  for (const recovery of [...confirmation.recoveryCodes, ...renewed.recoveryCodes]) kept(recovery);
  const wrong = await owner.call("PUT", "/v1/me/password", {
    current: kept("not the password of hers"),
    next: NEXT_PASSWORD,
  });
  expect(wrong.status).toBe(403);
  const change = { current: OWNER.password, next: NEXT_PASSWORD };
  expect((await owner.call("PUT", "/v1/me/password", change)).status).toBe(204);
  keepSession();
  const asked = await owner.call("PUT", "/v1/me/email", { email: "olga.next@example.org" });
  expect(asked.status).toBe(202);
  await owner.send("/forgot-password", { email: OWNER.email });
  await owner.call("POST", "/v1/invitations", { email: "jane@example.org", role: "viewer" });
  const mails = await until("the e-mails", async () => {
    const all = await mailsTo();
    const links = all.flatMap(({ text }) => text.match(LINK_TOKEN) ?? []);
    return links.length >= 4 ? links : null;
  });
  for (const token of mails) kept(token);

  // Programs: keys, secrets, codes, tokens, tickets.
  kept((await made(ApiKeyCreated, "POST", "/v1/api-keys", { name: "mine", scopes: ALL_SCOPES })).key);
  const program = await registered(api);
  kept(program.clientSecret ?? "");
  const rotated = await made(OAuthClientSecret, "POST", `/v1/oauth/clients/${program.id}/rotate-secret`);
  const credentials = { id: program.id, clientSecret: kept(rotated.clientSecret) };
  const { fields } = await authorized(owner, credentials);
  kept(fields.code);
  kept(fields.code_verifier);
  const tokens = tokensIn(await askTokens(url, credentials, fields));
  kept(tokens.access_token);
  kept(tokens.refresh_token ?? "");
  const { body: device } = await ask(
    url,
    OAUTH_PATHS.deviceCode,
    { id: COMMAND_LINE_CLIENT, clientSecret: null },
    { scope: "read" },
  );
  kept(String(device.device_code));
  const ticket = await callWith(url, tokens.access_token, "POST", "/v1/stream/tickets", {});
  kept(StreamTicket.parse(ticket.body).ticket);
  const hook = { url: "https://example.org/hook", events: ["signal.failed"] };
  const webhook = await api.expect(CreatedWebhook, "POST", "/v1/integrations/webhooks", hook);
  kept(webhook.secret);
  const path = `/v1/integrations/webhooks/${webhook.id}/rotate-secret`;
  kept((await api.expect(RotatedSecret, "POST", path, {})).secret);
  const source = {
    type: "websocket",
    name: "feed",
    url: "ws://127.0.0.1:1/",
    headers: { authorization: HEADER },
  };
  expect((await api.call("POST", "/v1/integrations/sources", source)).status).toBe(201);

  expect(secrets.size).toBeGreaterThan(35);
  for (const secret of secrets) expect(secret.length).toBeGreaterThanOrEqual(10);
  const logs: string[] = [];
  for (const log of ["/v1/audit-log?limit=200", "/v1/audit-log.csv"]) {
    const answer = await fetch(url + log, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(answer.status).toBe(200);
    logs.push(await answer.text());
  }
  logs.push(JSON.stringify((await owner.call("GET", "/v1/me/security-log?limit=200")).body));
  expect(logs.map((log) => log.length > 1_000)).toEqual([true, true, true]);
  await service.end();
  logs.push(service.stderr);
  const found = [...secrets].filter((secret) => logs.some((log) => log.includes(secret)));
  expect(found).toEqual([]);
  expect(await filesWith(dataDirectory, [...secrets])).toEqual([]);
});

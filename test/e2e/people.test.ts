import { expect, test } from "vitest";
import { z } from "zod";
import { AccessRequestsAnswer } from "../../schemas/access-request.ts";
import { ApiKeyCreated } from "../../schemas/api-key.ts";
import { MailboxAnswer } from "../../schemas/mailbox.ts";
import { Me } from "../../schemas/me.ts";
import { InvitationsAnswer } from "../../schemas/member.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { filesWith } from "../support/files-with.ts";
import { OWNER } from "../support/first-owner.ts";
import { Browser, newestMail } from "../support/people.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/until.ts";

const JANE = { email: "Jane.Doe@Example.org", password: "rain on a copper antenna" };
const JANE_KEY = "jane.doe@example.org";
const JOHN = "john@example.org";

/** A provider that is down: nothing waits for it but who goes there. */
const PROVIDER = {
  OIDC_PROVIDERS: "elsewhere",
  OIDC_ELSEWHERE_ISSUER: "http://127.0.0.1:1",
  OIDC_ELSEWHERE_CLIENT_ID: "signals",
};

const JSON_ONLY = { accept: "application/json" };

const linkIn = (text: string, path: RegExp): string => {
  const [found] = path.exec(text) ?? [];
  if (found === undefined) throw new Error(`nothing like ${path} in ${text}`);
  return found;
};

test("somebody asks for access, is let in, and makes a first call, by what the terminal and e-mails say", async () => {
  const dataDirectory = await temporaryDirectory();
  const { service, api } = await startService({ dataDirectory, environment: PROVIDER });
  const url = await service.ready();
  const mailTo = (email: string, subject: RegExp) =>
    until(`an e-mail to ${email}`, async () => {
      const mail = await newestMail(url, email);
      return mail !== null && subject.test(mail.subject) ? mail : null;
    });

  const owner = new Browser(url);
  const ownerLink = linkIn(service.stdout, /\/first-owner\/[\w-]{43}/);
  const unowned = "the first owner comes in by a link";
  expect((await owner.open("/sign-in")).text).toContain(unowned);
  expect((await owner.open(ownerLink)).text).toContain("Set up your sign-in");
  const weak = await owner.send(ownerLink, { ...OWNER, password: "passwordpassword" });
  expect([weak.status, weak.text]).toEqual([400, expect.stringContaining("too easy to guess")]);
  expect(await owner.send(ownerLink, OWNER)).toMatchObject({ status: 303, location: "/" });
  expect((await owner.send(ownerLink, OWNER)).status).toBe(410);
  expect(Me.parse((await owner.call("GET", "/v1/me")).body)).toMatchObject({
    email: OWNER.email,
    role: "owner",
  });

  const jane = new Browser(url);
  expect((await jane.open("/sign-in")).text).not.toContain(unowned);
  const asked = { email: JANE.email, useCase: "I watch forty masts of a mountain rescue service." };
  expect((await jane.send("/request-access", asked)).status).toBe(202);
  await mailTo(JANE_KEY, /We have your access request/);
  await mailTo(OWNER.email, new RegExp(`^Access request from ${JANE_KEY}$`));
  expect((await jane.send("/request-access", { ...asked, email: JOHN })).status).toBe(202);
  const { accessRequests } = AccessRequestsAnswer.parse(
    (await owner.call("GET", "/v1/access-requests")).body,
  );
  expect(accessRequests).toMatchObject(
    [JANE_KEY, JOHN].map((email) => ({ email, state: "pending", overdue: false })),
  );
  const [toApprove, raced] = accessRequests.map(({ id }) => `/v1/access-requests/${id}`);
  const decisions = await Promise.all([
    owner.call("POST", `${raced}/approve`, { role: "viewer" }),
    owner.call("POST", `${raced}/reject`, {}),
  ]);
  expect(decisions.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const isJohnInvited = decisions[0]?.status === 200;
  await mailTo(JOHN, isJohnInvited ? /You are invited/ : /was declined/);
  expect((await owner.call("POST", `${toApprove}/approve`, { role: "editor" })).status).toBe(200);

  const invitation = await mailTo(JANE_KEY, /You are invited/);
  const states = async () => {
    const { body } = await owner.call("GET", "/v1/invitations");
    const { invitations } = InvitationsAnswer.parse(body);
    // Only an approval invites.
    expect(invitations.some(({ email }) => email === JOHN)).toBe(isJohnInvited);
    return invitations.filter(({ email }) => email === JANE_KEY).map(({ state }) => state);
  };
  await until("the invitation to count as sent", async () => (await states())[0] === "invited");
  for (let n = 0; n < 3; n++) expect((await jane.open(invitation.path)).text).toContain(JANE_KEY);
  expect(await states()).toEqual(["invited"]);
  const verified = await jane.send(invitation.path, {});
  expect(verified).toMatchObject({ status: 303, location: expect.stringMatching(/^\/set-password\//) });
  expect(await states()).toEqual(["verified"]);
  expect((await jane.send(invitation.path, {})).status).toBe(410);
  const set = await jane.send(verified.location ?? "", { password: JANE.password });
  expect(set).toMatchObject({ status: 303, location: "/" });
  expect(await states()).toEqual(["active"]);

  await jane.send("/sign-out", {});
  expect((await jane.call("GET", "/v1/me")).status).toBe(401);
  const away = await jane.follow("/sign-in/with/elsewhere");
  expect([away.status, away.text]).toEqual([503, expect.stringContaining("Elsewhere does not answer")]);
  expect((await jane.send("/sign-in", { ...JANE, password: "wrong" })).status).toBe(401);
  expect(await jane.send("/sign-in", { ...JANE, next: "//evil.example" })).toMatchObject({
    status: 303,
    location: "/",
  });
  const above = await jane.call("POST", "/v1/api-keys", { name: "mine", scopes: ["admin"] });
  expect(above.status).toBe(403);
  const made = await jane.call("POST", "/v1/api-keys", { name: "mine", scopes: ["read", "write"] });
  expect(made.status).toBe(201);
  const { key } = ApiKeyCreated.parse(made.body);
  const first = await fetch(`${api.url}/v1/signals?limit=3`, { headers: { authorization: `Bearer ${key}` } });
  expect(first.status).toBe(200);
  expect(z.object({ signals: z.array(z.unknown()) }).parse(await first.json()).signals.length).toBe(3);
  const { mails } = MailboxAnswer.parse((await owner.call("GET", "/dev/mailbox", undefined, JSON_ONLY)).body);
  const links = mails.flatMap(({ text }) => text.match(/[\w-]{43}(?=\s)/g) ?? []);
  const sessions = [owner, jane].map((browser) => browser.cookies.get("session") ?? "");
  const secrets = [OWNER.password, JANE.password, key, ownerLink.slice(-43), ...links, ...sessions];
  expect(secrets.length).toBeGreaterThanOrEqual(7);
  for (const secret of secrets) expect(secret.length).toBeGreaterThan(20);
  await service.end();
  expect(await filesWith(dataDirectory, secrets)).toEqual([]);
  for (const secret of secrets) expect(service.stderr).not.toContain(secret);
  expect(service.stdout).toMatch(/^ {2}Mail {5}jane\.doe@example\.org: You are invited/m);
});

test("the first owner is sent the link that the start would show, also where their address is given later", async () => {
  const dataDirectory = await temporaryDirectory();
  const first = await startService({ dataDirectory });
  await first.service.ready();
  const shown = linkIn(first.service.stdout, /\/first-owner\/[\w-]{43}/);
  await first.service.end();

  const { service } = await startService({ dataDirectory, environment: { OWNER_EMAIL: OWNER.email } });
  const url = await service.ready();
  const mail = await until("the e-mail", () => newestMail(url, OWNER.email));
  expect(service.stdout).not.toMatch(/Owner +http/);
  const owner = new Browser(url);
  expect((await owner.open(shown)).status).toBe(410);
  expect((await owner.open(mail.path)).text).toContain(OWNER.email);
  expect(await owner.send(mail.path, OWNER)).toMatchObject({ status: 303, location: "/" });
  await service.end();
});

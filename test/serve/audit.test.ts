import { parse as parseCsv } from "csv-parse/sync";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { Account } from "../../schemas/account.ts";
import { ApiKeyCreated } from "../../schemas/api-key.ts";
import { AuditAnswer, type AuditEntry } from "../../schemas/audit.ts";
import type { Role } from "../../schemas/role.ts";
import { OPERATIONS } from "../../src/serve/openapi/operations.ts";
import { exampleBodyOf, oneOfEach } from "../support/one-of-each.ts";
import { Browser } from "../support/people.ts";
import { openTestEngines, startTestServe, type TestEngines, type TestServe } from "../support/serve.ts";
import { PASSWORD, setUpSecondFactor, signedInAt, somebodyOf } from "../support/signed-in.ts";

let engines: TestEngines;
let serve: TestServe;
let pathOf: (route: string) => string;
beforeAll(async () => {
  engines = await openTestEngines();
  serve = await startTestServe(engines, { webhooks: { allowPrivate: true }, limits: { probeTimeoutMs: 10 } });
  ({ pathOf } = await oneOfEach(engines, serve));
});
afterAll(async () => {
  await serve.stop();
  await engines.close();
});

const signedIn = async (role?: Role) => {
  const somebody = await somebodyOf(engines, role);
  return { ...somebody, browser: await signedInAt(serve.url, somebody) };
};
const logged = async (query = ""): Promise<AuditEntry[]> =>
  (await serve.api.expect(AuditAnswer, "GET", `/v1/audit-log?limit=500${query}`)).entries;

/** What calls of the API leave in the log, by kind; the others change neither configuration nor access. */
const LEFT: Readonly<Record<string, string>> = {
  "POST /v1/signals": "signal.created",
  "PATCH /v1/signals/:id": "signal.updated",
  "DELETE /v1/signals/:id": "signal.deleted",
  "POST /v1/signals/batch": "signal.created",
  "POST /v1/integrations/sources": "source.created",
  "PATCH /v1/integrations/sources/:id": "source.updated",
  "DELETE /v1/integrations/sources/:id": "source.deleted",
  "POST /v1/alerts/rules": "rule.created",
  "PATCH /v1/alerts/rules/:id": "rule.updated",
  "DELETE /v1/alerts/rules/:id": "rule.deleted",
  "POST /v1/alerts/:id/acknowledge": "alert.acknowledged",
  "POST /v1/alerts/silences": "silence.created",
  "PATCH /v1/alerts/silences/:id": "silence.updated",
  "DELETE /v1/alerts/silences/:id": "silence.deleted",
  "POST /v1/integrations/webhooks": "webhook.created",
  "PATCH /v1/integrations/webhooks/:id": "webhook.updated",
  "DELETE /v1/integrations/webhooks/:id": "webhook.deleted",
  "POST /v1/integrations/webhooks/:id/rotate-secret": "webhook.secret_rotated",
  "DELETE /v1/integrations/webhooks/:id/previous-secret": "webhook.previous_secret_ended",
  "POST /v1/api-keys": "api_key.created",
  "DELETE /v1/api-keys/:id": "api_key.revoked",
  "POST /v1/oauth/clients": "oauth_client.created",
  "PATCH /v1/oauth/clients/:id": "oauth_client.updated",
  "POST /v1/oauth/clients/:id/rotate-secret": "oauth_client.secret_rotated",
  "DELETE /v1/oauth/clients/:id": "oauth_client.deleted",
  "PATCH /v1/account": "account.updated",
  "PATCH /v1/members/:id": "member.updated",
  "DELETE /v1/members/:id": "member.removed",
  "POST /v1/invitations": "invitation.created",
  "POST /v1/invitations/:id/resend": "invitation.resent",
  "DELETE /v1/invitations/:id": "invitation.revoked",
  "POST /v1/access-requests/:id/approve": "access_request.approved invitation.created",
};
const NOTHING = [
  "POST /v1/signals/test",
  "POST /v1/signals/analyze",
  "POST /v1/integrations/sources/test",
  "POST /v1/integrations/sources/:id/test",
  "POST /v1/integrations/sources/:id/push",
  "POST /v1/integrations/sources/:id/rejections/retry",
  "POST /v1/alerts/rules/backtest",
  "POST /v1/integrations/webhooks/test",
  "POST /v1/integrations/webhooks/:id/test",
  "POST /v1/integrations/webhooks/:id/recover",
  "POST /v1/integrations/webhooks/:id/diagnose",
  "POST /v1/integrations/webhooks/:id/deliveries/:deliveryId/resend",
  "POST /v1/stream/tickets",
  "POST /v1/access-requests",
  // Of two decisions only the first counts: this one has a test of its own.
  "POST /v1/access-requests/:id/reject",
];
/** Bodies that change what is here, where those of the document are for another kind of it. */
const NEAR: Readonly<Record<string, object>> = {
  "PATCH /v1/alerts/silences/:id": { reason: "the works go on" },
  "PATCH /v1/integrations/sources/:id": { name: "another name" },
};
const CHANGING = Object.keys(OPERATIONS)
  .filter((name) => !name.startsWith("GET ") && !/ \/v1\/me(\/|$)/.test(name))
  // What takes things away comes last.
  .sort((a, b) => Number(a.startsWith("DELETE")) - Number(b.startsWith("DELETE")));

describe("the audit log", () => {
  test("knows of every call whether it leaves something", () => {
    expect([...Object.keys(LEFT), ...NOTHING].toSorted()).toEqual(CHANGING.toSorted());
  });

  test("has what each call of the API changed, with who called, from where, under which request", async () => {
    const [{ id: keyId, name: keyName } = { id: "", name: "" }] = (
      await serve.api.expect(
        z.object({ apiKeys: z.array(z.object({ id: z.string(), name: z.string() })) }),
        "GET",
        "/v1/api-keys",
      )
    ).apiKeys;
    for (const name of CHANGING) {
      const [method = "", route = ""] = name.split(" ");
      const seen = new Set((await logged()).map(({ id }) => id));
      const example = NEAR[name] ?? exampleBodyOf(name);
      const response = await fetch(serve.url + pathOf(route), {
        method,
        headers: {
          ...serve.api.authorization,
          "user-agent": "an auditor's test",
          ...(example && { "content-type": "application/json" }),
        },
        ...(example && { body: JSON.stringify(example) }),
      });
      await response.arrayBuffer();
      const left = (await logged()).filter(({ id }) => !seen.has(id));
      expect([name, response.ok || LEFT[name] === undefined]).toEqual([name, true]);
      expect([name, [...new Set(left.map(({ action }) => action))].toSorted()]).toEqual([
        name,
        LEFT[name]?.split(" ") ?? [],
      ]);
      for (const entry of left)
        expect(entry).toMatchObject({
          actor: { kind: "key", id: keyId, name: keyName },
          from: {
            address: "127.0.0.1",
            userAgent: "an auditor's test",
            requestId: response.headers.get("x-request-id"),
          },
        });
    }
    await serve.api.expect(Account, "PATCH", "/v1/account", { secondFactorRequired: false });
  });

  test("names the person who did it with a session", async () => {
    const { browser, email, person } = await signedIn();
    const { status } = await browser.call("POST", "/v1/signals", { name: "by a person", threshold: 0.3 });
    expect(status).toBe(201);
    const [entry] = await logged("&action=signal.created");
    expect(entry).toMatchObject({
      actor: { kind: "person", id: person.id, name: email },
      target: { name: "by a person" },
      after: { threshold: 0.3 },
    });
    expect(await logged(`&actor=${person.id}&action=signal`)).toEqual([entry]);
    const [started] = await logged(`&actor=${person.id}&action=session.started`);
    expect(started?.actor.name).toBe(email);
  });

  test("is given as CSV, of which no cell is a formula, filtered as the list", async () => {
    const name = '=HYPERLINK("https://evil.example","a,b")';
    for (const one of [name, "second"])
      await serve.api.expect(z.unknown(), "POST", "/v1/signals", { name: one, threshold: 0.2 });
    const response = await fetch(`${serve.url}/v1/audit-log.csv?action=signal.created`, {
      headers: serve.api.authorization,
    });
    expect(response.headers.get("content-type")).toMatch(/^text\/csv; charset=utf-8/);
    expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename=/);
    const text = await response.text();
    const rows = z
      .array(z.record(z.string(), z.string()))
      .parse(parseCsv(text, { columns: true, record_delimiter: "\r\n" }));
    const entries = await logged("&action=signal.created");
    expect(rows.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
    const named = rows.find(({ targetName }) => targetName?.endsWith(name));
    expect(named?.targetName).toBe(`'${name}`);
    expect(JSON.parse(named?.after ?? "")).toMatchObject({ name });
    expect(text.split("\r\n").at(0)).toBe(
      "at,action,actorKind,actorId,actorName,targetId,targetName,before,after,address,userAgent,requestId,id",
    );
  });

  test("refuses what is no filter, and whoever may not see it", async () => {
    for (const query of ["action=nonsense", "action=rule.eaten", "from=yesterday", "limit=0", "actor="]) {
      const { status } = await serve.api.call("GET", `/v1/audit-log?${query}`);
      expect([query, status]).toEqual([query, 400]);
    }
    for (const role of ["editor", "viewer"] as const) {
      const { browser } = await signedIn(role);
      for (const path of ["/v1/audit-log", "/v1/audit-log.csv"])
        expect((await browser.call("GET", path)).status).toBe(403);
    }
  });

  test("is changed by nobody", async () => {
    const [{ id } = { id: "" }] = await logged();
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      for (const path of ["/v1/audit-log", `/v1/audit-log/${id}`])
        expect([404, 405]).toContain((await serve.api.call(method, path)).status);
  });
});

describe("a person's security log", () => {
  const ownOf = async (browser: Browser) => {
    const { body } = await browser.call("GET", "/v1/me/security-log");
    return AuditAnswer.parse(body).entries;
  };

  test("has sign-ins, those that failed, and what was changed, and no secret", async () => {
    const { browser, email, person } = await signedIn("viewer");
    await new Browser(serve.url).send("/sign-in", { email, password: "wrong horse battery" });
    const next = "wind in a steel mast 77";
    await browser.call("PUT", "/v1/me/proof", { password: "wrong again and again" });
    expect((await browser.call("PUT", "/v1/me/password", { current: PASSWORD, next })).status).toBe(204);
    await engines.control
      .by({
        actor: { kind: "key", id: "key_1", name: "k" },
        origin: { address: null, userAgent: null, requestId: null },
      })
      .access.members.change(engines.accountId, person.id, { role: "editor" });
    const own = await ownOf(browser);
    expect(own.map(({ action }) => action)).toEqual([
      "member.updated",
      "password.changed",
      "proof.failed",
      "sign_in.failed",
      "session.started",
    ]);
    expect(own.find(({ action }) => action === "sign_in.failed")?.actor.kind).toBe("visitor");
    expect(own.find(({ action }) => action === "password.changed")?.actor.id).toBe(person.id);
    const text = JSON.stringify(own);
    for (const secret of [PASSWORD, next, "wrong horse", "wrong again"]) expect(text).not.toContain(secret);
    // Sign-ins of members are in the account's log; their failures are their own affair.
    const all = await logged(`&actor=${person.id}`);
    expect(all.map(({ action }) => action)).toEqual(["session.started"]);
  });

  test("names its person for a session that they ended, on the page, by another sign-in or from afar", async () => {
    const { browser, email, person } = await signedIn("viewer");
    const again = () => browser.send("/sign-in", { email, password: PASSWORD });
    expect((await again()).status).toBe(303);
    expect((await browser.send("/sign-out", {})).status).toBe(303);
    const elsewhere = new Browser(serve.url);
    await elsewhere.send("/sign-in", { email, password: PASSWORD });
    expect((await again()).status).toBe(303);
    const sessions = (await browser.call("GET", "/v1/me/sessions")).body;
    const other = z
      .object({ sessions: z.array(z.object({ id: z.string(), current: z.boolean() })) })
      .parse(sessions)
      .sessions.find(({ current }) => !current);
    expect((await browser.call("DELETE", `/v1/me/sessions/${other?.id}`)).status).toBe(204);
    const actor = { kind: "person", id: person.id, name: email };
    const ended = (await ownOf(browser)).filter(({ action }) => action === "session.ended");
    expect(ended.map((entry) => entry.actor)).toEqual([actor, actor, actor]);
    expect(await logged(`&actor=${person.id}&action=session.ended`)).toEqual(ended);
  });

  test("is not flooded by guesses while the door is locked", async () => {
    const { browser, email } = await signedIn("viewer");
    for (let guess = 0; guess < 14; guess++)
      await new Browser(serve.url).send("/sign-in", { email, password: `guess number ${guess}` });
    const failed = (await ownOf(browser)).filter(({ action }) => action === "sign_in.failed");
    expect(failed.length).toBe(10);
  });

  test("is not for keys, nor for others", async () => {
    expect((await serve.api.call("GET", "/v1/me/security-log")).status).toBe(403);
    const [one, other] = [await signedIn("viewer"), await signedIn("viewer")];
    for (const { target } of await ownOf(other.browser)) expect(target?.id).not.toBe(one.person.id);
  });
});

describe("the account", () => {
  test("is changed by owners, who have just said who they are, and asks for a second factor from then on", async () => {
    const { browser } = await signedIn();
    await setUpSecondFactor(browser, Date.now());
    const editor = await signedIn("editor");
    const made = await browser.call("POST", "/v1/api-keys", { name: "before", scopes: ["read"] });
    const { key } = ApiKeyCreated.parse(made.body);
    expect((await editor.browser.call("PATCH", "/v1/account", { name: "mine" })).status).toBe(403);
    expect((await browser.call("PATCH", "/v1/account", { name: "x" }, { "if-match": '"99"' })).status).toBe(
      412,
    );
    const patch = { name: "Rescue", secondFactorRequired: true };
    expect(Account.parse((await browser.call("PATCH", "/v1/account", patch)).body)).toMatchObject(patch);
    // Within the four seconds for which sessions are remembered.
    const deadline = performance.now() + 5_000;
    let asked = await editor.browser.call("GET", "/v1/signals?limit=1");
    while (asked.status === 200 && performance.now() < deadline)
      asked = await editor.browser.call("GET", "/v1/signals?limit=1");
    expect(asked).toMatchObject({ status: 403, body: { code: "second_factor_required" } });
    expect((await editor.browser.call("GET", "/v1/me")).status).toBe(200);
    const byKey = await fetch(`${serve.url}/v1/signals`, { headers: { authorization: `Bearer ${key}` } });
    expect(byKey.status).toBe(200);
  });
});

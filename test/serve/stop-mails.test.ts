import { describe, expect, test } from "vitest";
import { AuditAnswer } from "../../schemas/audit.ts";
import { RuleId } from "../../schemas/common.ts";
import { Email } from "../../schemas/email.ts";
import { RuleAnswer } from "../../schemas/rule.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { TOKEN_BYTES, tokenOf } from "../../src/domain/access/secret-token.ts";
import { accountSpender, addressSpender, spend } from "../../src/domain/alert-mails/budget.ts";
import { stopSubject, writeStopLink } from "../../src/domain/alert-mails/stop.ts";
import { Browser } from "../support/people.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();
const RULES = "/v1/alerts/rules";
const ONE_CLICK = "List-Unsubscribe=One-Click";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const ELSEWHERE = { origin: "https://mail.example", "sec-fetch-site": "cross-site" };
let addresses = 0;

/** A rule that names an address of its own, and the link of an e-mail about it. */
const mailed = async (name = "weak", ofRule = true) => {
  const { control, accountId } = shared.engines;
  const recipient = Email.parse(`reader-${addresses++}@example.org`);
  const body = { name, condition: { operator: "below", value: -75 }, notify: { emails: [recipient] } };
  const { id } = await shared.serve.api.expect(RuleAnswer, "POST", RULES, body);
  const token = tokenOf(systemEntropy.bytes(TOKEN_BYTES));
  const ruleId = ofRule ? id : null;
  const link = {
    purpose: "stop-mails",
    subject: stopSubject(accountId, recipient),
    content: writeStopLink({ accountId, recipient, ruleId }),
    expiresAt: Date.now() + 60_000,
  } as const;
  await control.access.links.add(token, link, { keepOthers: true });
  const stops = async () => [
    ...((await control.alertMails.stops(accountId, [recipient])).get(recipient) ?? []),
  ];
  return { id, recipient, stops, path: `/stop-mails/${token}`, browser: new Browser(shared.serve.url) };
};
/** As a mail program asks, which has seen no page of ours. */
const oneClick = (path: string, body = ONE_CLICK, headers: Record<string, string> = FORM) =>
  fetch(shared.serve.url + path, {
    method: "POST",
    body,
    headers: { ...ELSEWHERE, ...headers },
    redirect: "manual",
  });

describe("the link that stops alert e-mails", () => {
  test("shows what it is about, and changes nothing by being looked at", async () => {
    const { browser, path, recipient, stops } = await mailed("<b>weak</b>");
    for (let n = 0; n < 3; n++) {
      const { status, text, headers } = await browser.open(path);
      expect(status).toBe(200);
      expect(text).toContain(recipient);
      expect(text).toContain("“&#60;b&#62;weak&#60;/b&#62;”");
      expect(text).not.toContain("<b>");
      expect(headers.get("referrer-policy")).toBe("same-origin");
      expect(headers.get("cache-control")).toBe("no-store");
    }
    const head = await fetch(shared.serve.url + path, { method: "HEAD" });
    expect([head.status, await stops()]).toEqual([200, []]);
  });

  test("stops those of its rule, then all, and starts them again, as often as its reader likes", async () => {
    const { browser, path, stops, id } = await mailed();
    for (let n = 0; n < 2; n++) {
      expect((await browser.send(path, { wish: "stop-rule" })).text).toContain("Send them again");
      expect(await stops()).toEqual([id]);
      expect((await browser.send(path, { wish: "stop-all" })).text).toMatch(/no more alert e-mails/);
      expect((await stops()).toSorted()).toEqual(["all", id].toSorted());
      expect((await browser.open(path)).text).toContain("Send them again");
      expect((await browser.send(path, { wish: "resume" })).text).toContain("Stop those of this rule");
      expect(await stops()).toEqual([]);
    }
  });

  test("stops them by one request of a mail program, from anywhere and without a session", async () => {
    const { path, stops, id } = await mailed();
    const answer = await oneClick(path);
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([200, null]);
    expect(await stops()).toEqual([id]);
    expect((await oneClick(path)).status).toBe(200);
    expect(await stops()).toEqual([id]);
  });

  test("leaves a note of each change, by whose e-mails they are", async () => {
    const { browser, path, recipient, id } = await mailed();
    await oneClick(path);
    await oneClick(path);
    await browser.send(path, { wish: "stop-all" });
    await browser.send(path, { wish: "resume" });
    const { entries } = await shared.serve.api.expect(
      AuditAnswer,
      "GET",
      "/v1/audit-log?action=alert_mails&limit=50",
    );
    const own = entries.filter(({ actor }) => actor.name === recipient);
    const all = shared.engines.accountId;
    expect(own.map(({ action, actor, target }) => [action, actor.kind, target?.id]).toReversed()).toEqual([
      ["alert_mails.stopped", "visitor", id],
      ["alert_mails.stopped", "visitor", all],
      ["alert_mails.resumed", "visitor", id],
      ["alert_mails.resumed", "visitor", all],
    ]);
    expect(own.at(-1)).toMatchObject({ target: { name: "weak" }, from: { address: "127.0.0.1" } });
  });

  test("stops all where the e-mail told of several rules", async () => {
    const { path, stops } = await mailed("weak", false);
    await oneClick(path);
    expect(await stops()).toEqual(["all"]);
  });

  test.each([
    [
      "as most send it",
      '--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--\r\n',
    ],
    [
      "with a type of its own, among others",
      '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--b\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\nContent-Type: text/plain\r\n\r\nOne-Click\r\n--b--\r\n',
    ],
  ])("takes multipart/form-data %s", async (_, body) => {
    const { path, stops, id } = await mailed();
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    expect((await oneClick(path, body, headers)).status).toBe(200);
    expect(await stops()).toEqual([id]);
  });

  test.each([
    ["nothing", FORM, "", 400],
    ["another field", FORM, "a=b", 400],
    ["another value", FORM, "List-Unsubscribe=Two-Clicks", 400],
    ["a field twice", FORM, `${ONE_CLICK}&${ONE_CLICK}`, 400],
    ["another wish", FORM, "wish=stop-the-world", 400],
    ["JSON", { "content-type": "application/json" }, '{"wish":"stop-all"}', 415],
    [
      "a form of many parts that says something else",
      { "content-type": "multipart/form-data; boundary=b" },
      "--b\r\n\r\n\r\n--b--",
      400,
    ],
    ["far too much", { "content-type": "multipart/form-data; boundary=b" }, "-".repeat(100_000), 413],
    [
      "lines without end",
      { "content-type": "multipart/form-data; boundary=b" },
      `content-disposition: form-data; name="List-Unsubscribe"${"\r\na".repeat(1_300)}`,
      400,
    ],
  ])("stops nothing for %s", async (_, headers, body, status) => {
    const { path, stops } = await mailed();
    expect((await oneClick(path, body, headers)).status).toBe(status);
    expect(await stops()).toEqual([]);
  });

  test("is one page where it is unknown, has expired, or is of another purpose", async () => {
    const { access } = shared.engines.control;
    const [expired, other] = [1, 2].map(() => tokenOf(systemEntropy.bytes(TOKEN_BYTES)));
    if (expired === undefined || other === undefined) throw new Error("two");
    const about = { subject: "acc_x jane@example.org", content: "{}" };
    await access.links.add(expired, { purpose: "stop-mails", ...about, expiresAt: Date.now() - 1 });
    await access.links.add(other, { purpose: "reset-password", ...about, expiresAt: Date.now() + 60_000 });
    const texts = [];
    for (const token of [expired, other, "A".repeat(43), "x", "..%2F..", "%00"]) {
      const asked = await fetch(`${shared.serve.url}/stop-mails/${token}`);
      const posted = await oneClick(`/stop-mails/${token}`);
      for (const answer of [asked, posted]) texts.push(`${answer.status} ${await answer.text()}`);
    }
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toMatch(/^410 /);
  });

  test("works once the rule is gone", async () => {
    const { browser, path, stops, id } = await mailed();
    expect((await shared.serve.api.call("DELETE", `${RULES}/${id}`)).status).toBe(204);
    expect((await browser.open(path)).text).toContain("a rule that is gone");
    await oneClick(path);
    expect(await stops()).toEqual([id]);
  });
});

describe("a rule that names addresses", () => {
  const written = async (emails: readonly string[], id?: string) => {
    const body = { name: "named", condition: { operator: "below", value: -75 }, notify: { emails } };
    const path = id === undefined ? RULES : `${RULES}/${id}`;
    return shared.serve.api.expect(RuleAnswer, id === undefined ? "POST" : "PATCH", path, body);
  };

  test("says who has stopped its e-mails, and no longer once they want them again", async () => {
    const { id, recipient, path, browser } = await mailed();
    const both = ["other@example.org", recipient];
    expect((await written(both, id)).warnings).toEqual([]);
    await oneClick(path);
    const warning = { path: "notify.emails.1", message: `${recipient} has stopped these e-mails` };
    expect(
      (
        await written(
          [...both].map((one) => one.toUpperCase()),
          id,
        )
      ).warnings,
    ).toEqual([warning]);
    expect((await written(both)).warnings).toEqual([]);
    await browser.send(path, { wish: "stop-all" });
    expect((await written(both)).warnings).toEqual([warning]);
    await browser.send(path, { wish: "resume" });
    expect((await written(both, id)).warnings).toEqual([]);
  });

  test("says where a limit holds, and until when", async () => {
    const { control, accountId } = shared.engines;
    const { id, recipient } = await mailed();
    const address = addressSpender(recipient);
    const account = accountSpender(accountId);
    const used = ({ name, allowance }: typeof address) =>
      [name, spend(allowance, 0, Date.now(), allowance.burst)] as const;
    await control.alertMails.spend(new Map([used(address)]));
    expect((await written([recipient], id)).warnings).toMatchObject([
      {
        path: "notify.emails.0",
        message: expect.stringMatching(/^this address has no e-mail left: .* at 2\d{3}-/),
      },
    ]);
    await control.alertMails.spend(new Map([used(account)]));
    const { warnings } = await written(["another@example.org"], id);
    expect(warnings).toMatchObject([
      { path: "notify.emails", message: expect.stringMatching(/^the account's rules have no e-mail left/) },
    ]);
    await control.alertMails.spend(new Map([[account.name, 0]]));
  });

  test("keeps each in the one way of writing it, and lets webhooks be as they are", async () => {
    const { notify, id } = await written([" Jane.Doe@EXAMPLE.org ", "o@bücher.example"]);
    expect(notify).toEqual({ emails: ["jane.doe@example.org", "o@xn--bcher-kva.example"] });
    const stored = await shared.engines.control.rules.get(shared.engines.accountId, RuleId.parse(id));
    expect(stored?.rule.notify).toEqual(notify);
  });

  test.each([
    ["notify.emails.0", ["a@x.example, c@x.example"]],
    ["notify.emails.0", ["a@x.example\r\nBcc: all@x.example"]],
    ["notify.emails.0", ["a\0@x.example"]],
    ["notify.emails.0", ["nobody"]],
    ["notify.emails.1", ["a@x.example", "A@X.example"]],
    ["notify.emails", []],
    ["notify.emails", Array.from({ length: 21 }, (_, n) => `a${n}@x.example`)],
  ])("is refused at %s for %j", async (path, emails) => {
    const body = { name: "r", condition: { operator: "below", value: -75 }, notify: { emails } };
    const { status, body: problem } = await shared.serve.api.call("POST", RULES, body);
    expect([status, problem]).toMatchObject([400, { code: "validation_failed", errors: [{ path }] }]);
  });

  test.each([
    [{ webhookIds: [], emails: ["a@x.example"] }, 201],
    [{ emails: ["a@x.example"] }, 201],
    [{ webhookIds: [] }, 400],
    [{}, 400],
  ])("takes %j with %i", async (notify, status) => {
    const body = { name: "r", condition: { operator: "below", value: -75 }, notify };
    expect((await shared.serve.api.call("POST", RULES, body)).status).toBe(status);
  });
});

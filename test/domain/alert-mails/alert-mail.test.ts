import { describe, expect, test } from "vitest";
import { alertMail, LISTED_MAX } from "../../../src/domain/alert-mails/alert-mail.ts";
import type { FollowedAlert } from "../../../src/domain/alert-mails/box.ts";
import { plainName } from "../../../src/domain/alert-mails/plain-name.ts";
import type { RuleNews } from "../../../src/domain/alert-mails/rule-news.ts";
import { aFollowed } from "../../conformance/control-store/alert-mails.ts";
import { JANE } from "../../support/alert-events.ts";
import { ruleId } from "../../support/partition.ts";

const PUBLIC_URL = "https://signals.example.org";
const STOP_URL = `${PUBLIC_URL}/stop-mails/${"x".repeat(43)}`;

/** Of rule 1, as it is followed. */
const alertOf = (n: number, fields: Partial<FollowedAlert> = {}): FollowedAlert =>
  aFollowed(n, { ruleId: ruleId(1), ruleName: "weak", signalName: `mast ${n}`, ...fields });
const ended = (n: number, resolvedAt = "2026-01-01T00:03:20.500Z") =>
  alertOf(n, { state: "resolved", resolvedAt, value: null });
const newsOf = (alerts: readonly FollowedAlert[], fields: Partial<RuleNews> = {}): RuleNews => ({
  ruleId: ruleId(1),
  ruleName: "weak",
  firing: alerts.filter(({ state }) => state === "firing").length,
  resolved: alerts.filter(({ state }) => state === "resolved").length,
  news: alerts.reduce((sum, { news }) => sum + news, 0),
  ...fields,
});
const mailOf = (alerts: readonly FollowedAlert[], ...news: RuleNews[]) =>
  alertMail({
    recipient: JANE,
    news: news.length === 0 ? [newsOf(alerts)] : news,
    alerts,
    publicUrl: PUBLIC_URL,
    stopUrl: STOP_URL,
  });

describe("an e-mail of alerts", () => {
  test("says of one that it fires, why, and how to stop these e-mails", () => {
    const alert = alertOf(1);
    const { subject, text, html } = mailOf([alert]);
    expect(subject).toBe("[firing] weak: mast 1");
    expect(text).toBe(`weak:
- mast 1 fires as critical since 2026-01-01 00:00:00 UTC: −84.5 against the limit −75
  ${PUBLIC_URL}/alerts/${alert.alertId}

-- 
Signal Optimization Service
You get this e-mail because the alert rule “weak” names jane@example.org.
Stop these e-mails: ${STOP_URL}
`);
    for (const part of [
      "[firing] weak: mast 1",
      `href="${PUBLIC_URL}/alerts/${alert.alertId}"`,
      `href="${STOP_URL}"`,
    ])
      expect(html).toContain(part);
  });

  test.each([
    ["2026-01-01T00:00:12.400Z", "12 s"],
    ["2026-01-01T00:03:20.000Z", "3 min 20 s"],
    ["2026-01-01T02:00:59.000Z", "2 h"],
    ["2026-01-03T05:00:00.000Z", "2 d 5 h"],
  ])("says of one that ended at %s that it took %s", (at, took) => {
    const { subject, text } = mailOf([ended(1, at)]);
    expect(subject).toBe("[resolved] weak: mast 1");
    const shown = at.slice(0, 19).replace("T", " ");
    expect(text).toContain(`- mast 1 resolved at ${shown} UTC, after ${took} as critical\n`);
  });

  test("counts several in its subject", () => {
    const other = newsOf([alertOf(4)], { ruleId: ruleId(2), ruleName: "noisy" });
    const subjects = [
      mailOf([alertOf(1), alertOf(2)]),
      mailOf([alertOf(1), ended(2), ended(3)]),
      mailOf([ended(2), ended(3)]),
      mailOf([alertOf(1), ended(2)], newsOf([alertOf(1), ended(2)]), other),
    ].map(({ subject }) => subject);
    expect(subjects).toEqual([
      "[firing] weak: 2 alerts",
      "[firing] weak: 1 alert, 2 resolved",
      "[resolved] weak: 2 alerts",
      "[firing] 2 rules: 2 alerts, 1 resolved",
    ]);
  });

  test("lists some, and tells of all that it stands for", () => {
    const alerts = Array.from({ length: LISTED_MAX }, (_, n) => alertOf(n));
    const news = newsOf(alerts, { firing: 1_000, resolved: 3, news: 1_006 });
    const { subject, text, html } = mailOf(alerts, news);
    expect(subject).toBe("[firing] weak: 1,000 alerts, 3 resolved");
    expect(text.match(/^- mast \d+ fires/gm)).toHaveLength(LISTED_MAX);
    for (const part of [text, html]) {
      expect(part).toContain("and 950 more firing, 3 more resolved");
      expect(part).toContain("This e-mail stands for 1,006 changes of alerts.");
    }
  });

  test("tells of rules of which none is listed in figures", () => {
    const other = newsOf([], { ruleId: ruleId(2), ruleName: "noisy", firing: 7, news: 7 });
    const { text } = mailOf([alertOf(1)], newsOf([alertOf(1)]), other);
    expect(text).toContain("noisy:\n- 7 firing\n");
    expect(text).toContain("because alert rules name jane@example.org");
  });

  test("is no larger than a mail server takes, however long names are", () => {
    const name = "🗼".repeat(500);
    const alerts = Array.from({ length: LISTED_MAX }, (_, n) =>
      alertOf(n, { signalName: name, ruleName: name }),
    );
    const { subject, text, html } = mailOf(alerts, newsOf(alerts, { ruleName: name }));
    expect(Buffer.byteLength(text + html)).toBeLessThan(102_400);
    expect(Buffer.byteLength(subject)).toBeLessThan(998);
  });
});

describe("names that somebody chose", () => {
  const HOSTILE = [
    "mast\r\nBcc: everybody@example.org",
    "mast\u2028\u0085\u0000end",
    "<img src=https://evil.example/pixel.png>",
    '"><script>alert(1)</script><a href="',
    "\u202Etxet desrever\u2066",
    "pay here: https://evil.example/login",
    "mast\n\n-- \nThe service",
  ];

  test.each(HOSTILE)("%j are no markup, no header, no line and no link of their own", (name) => {
    const { subject, text, html } = mailOf(
      [alertOf(1, { signalName: name, ruleName: name })],
      newsOf([alertOf(1)], { ruleName: name }),
    );
    expect(subject).toMatch(/^\[firing\] [^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u);
    expect(text.split("\n")).toHaveLength(9);
    expect(html).not.toMatch(/<(img|script|link|style|iframe)\b/i);
    expect(html.match(/<a /g)).toHaveLength(4);
    const links = [...`${text} ${html}`.matchAll(/https?:\/\/[^\s"<>]+/g)].map(([url]) => url);
    for (const url of links) expect(url.startsWith(`${PUBLIC_URL}/`)).toBe(true);
  });

  test("are cut between characters, and one of nothing has another", () => {
    expect(plainName(" a \n b ")).toBe("a b");
    expect(plainName("\u200B\n")).toBe("(without a name)");
    expect(plainName(`${"🗼".repeat(99)}x`)).toBe(`${"🗼".repeat(99)}x`);
    expect(plainName(`${"🗼".repeat(100)}x`)).toBe(`${"🗼".repeat(99)}…`);
  });
});

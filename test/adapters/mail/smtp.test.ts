import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { MailId } from "../../../schemas/common.ts";
import { Email } from "../../../schemas/email.ts";
import { smtpMailer } from "../../../src/adapters/mail/smtp.ts";
import type { SmtpSettings } from "../../../src/domain/smtp-settings.ts";
import { MailRefusedError } from "../../../src/ports/mail.ts";
import { freePorts } from "../../support/free-ports.ts";
import { startSmtp } from "../../support/smtp.ts";

const TLS = new URL("../../support/tls/", import.meta.url);
const MAIL = {
  id: MailId.parse("eml_01JDA2V3Q8R5T7W9Y1B3D5F7H9"),
  to: Email.parse("jane@example.org"),
  subject: "Über den Dächern — “quoted”",
  text: "Come in: https://signals.example.org/a",
  html: '<a href="https://signals.example.org/a">Come in</a>',
};

const mailerTo = (port: number, settings: Partial<SmtpSettings> = {}) => {
  const from = Email.parse("noreply@signals.example.org");
  const mailer = smtpMailer({
    host: "127.0.0.1",
    port,
    implicitTls: false,
    requireTls: false,
    login: null,
    from,
    ...settings,
  });
  onTestFinished(() => mailer.close());
  return mailer;
};

describe("e-mails by SMTP", () => {
  it("reach the one person, in text and in HTML, under an id that stays the same", async () => {
    const smtp = await startSmtp({ hideSTARTTLS: true });
    const mailer = mailerTo(smtp.port);
    await mailer.send(MAIL);
    await mailer.send(MAIL);
    const [first, second] = smtp.received;
    expect(first).toMatchObject({ from: "noreply@signals.example.org", to: ["jane@example.org"] });
    for (const line of [
      /^From: Signal Optimization Service <noreply@signals\.example\.org>$/m,
      /^To: jane@example\.org$/m,
      /^Message-ID: <eml_01JDA2V3Q8R5T7W9Y1B3D5F7H9@signals\.example\.org>$/m,
      /^Auto-Submitted: auto-generated$/m,
      /^Content-Type: text\/plain/m,
      /^Content-Type: text\/html/m,
    ])
      for (const mail of [first, second]) expect(mail?.source.replaceAll("\r\n", "\n")).toMatch(line);
  });

  it("lie beneath those that they follow, and say how one click stops them", async () => {
    const smtp = await startSmtp({ hideSTARTTLS: true });
    const follows = ["eml_01JDA2V3Q8R5T7W9Y1B3D5F7H1", "eml_01JDA2V3Q8R5T7W9Y1B3D5F7H2"].map((id) =>
      MailId.parse(id),
    );
    const stopUrl = `https://signals.example.org/stop-mails/${"x".repeat(43)}`;
    const mailer = mailerTo(smtp.port);
    await mailer.send(MAIL);
    await mailer.send({ ...MAIL, follows, stopUrl });
    const [plain = "", beneath = ""] = smtp.received.map(({ source }) =>
      source.replaceAll("\r\n", "\n").replaceAll(/\n[ \t]+/g, " "),
    );
    const [first, last] = follows.map((id) => `<${id}@signals.example.org>`);
    for (const line of [
      `In-Reply-To: ${last}`,
      `References: ${first} ${last}`,
      `List-Unsubscribe: <${stopUrl}>`,
      "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
    ])
      expect(beneath.split("\n")).toContain(line);
    expect(plain).not.toMatch(/^(In-Reply-To|References|List-Unsubscribe)/m);
  });

  it("are refused for good where the server will never take them, and only failed where it may yet", async () => {
    const smtp = await startSmtp({ hideSTARTTLS: true });
    const mailer = mailerTo(smtp.port);
    smtp.refuse(550, "no such user here");
    await expect(mailer.send(MAIL)).rejects.toThrow(MailRefusedError);
    await expect(mailer.send(MAIL)).rejects.toThrow(/550 no such user here/);
    smtp.refuse(451, "greylisted");
    const later = mailer.send(MAIL);
    await expect(later).rejects.toThrow(/451 greylisted/);
    await expect(later).rejects.not.toThrow(MailRefusedError);
    smtp.accept();
    await mailer.send(MAIL);
    expect(smtp.received.length).toBe(1);
  });

  it("are not sent in clear text where TLS is required, nor to a server that cannot prove who it is", async () => {
    const clear = await startSmtp({ disabledCommands: ["STARTTLS"] });
    await expect(mailerTo(clear.port, { requireTls: true }).send(MAIL)).rejects.toThrow(/STARTTLS/);
    const pair = { key: readFileSync(new URL("key.pem", TLS)), cert: readFileSync(new URL("cert.pem", TLS)) };
    const stranger = await startSmtp(pair);
    await expect(mailerTo(stranger.port, { requireTls: true }).send(MAIL)).rejects.toThrow(/certificate/);
    const implicit = await startSmtp({ ...pair, secure: true });
    await expect(mailerTo(implicit.port, { implicitTls: true }).send(MAIL)).rejects.toThrow(/certificate/);
    expect([...clear.received, ...stranger.received, ...implicit.received]).toEqual([]);
  });

  it("are sent under the login that is given; a wrong one is no refusal of the mail, and is told without it", async () => {
    const smtp = await startSmtp({
      hideSTARTTLS: true,
      allowInsecureAuth: true,
      authOptional: false,
      onAuth: ({ username, password }, _session, done) =>
        username === "us" && password === "p@ss word"
          ? done(null, { user: "us" })
          : done(new Error("wrong login")),
    });
    await mailerTo(smtp.port, { login: { user: "us", password: "p@ss word" } }).send(MAIL);
    expect(smtp.received.length).toBe(1);
    const wrong = mailerTo(smtp.port, { login: { user: "us", password: "tell-nobody" } }).send(MAIL);
    await expect(wrong).rejects.toThrow(/Invalid login|535/);
    await expect(wrong).rejects.not.toThrow(MailRefusedError);
    await expect(wrong).rejects.not.toThrow(/tell-nobody/);
  });

  it("fail where nobody listens", async () => {
    const [port = 0] = await freePorts(1);
    await expect(mailerTo(port).send(MAIL)).rejects.toThrow(/ECONNREFUSED/);
  });
});

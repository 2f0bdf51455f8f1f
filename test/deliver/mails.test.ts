import { expect, test } from "vitest";
import type { MailId } from "../../schemas/common.ts";
import { Email } from "../../schemas/email.ts";
import { smtpMailer } from "../../src/adapters/mail/smtp.ts";
import type { Mailer } from "../../src/ports/mail.ts";
import { Delivering } from "../support/deliver.ts";
import { startSmtp } from "../support/smtp.ts";

const DAY_MS = 86_400_000;
const FROM = Email.parse("noreply@signals.example.org");
const TO = Email.parse("jane@example.org");

const mailerTo = (port: number): Mailer =>
  smtpMailer({ host: "127.0.0.1", port, implicitTls: false, requireTls: false, login: null, from: FROM });

const opened = async () => {
  const own = await Delivering.open();
  const smtp = await startSmtp({ hideSTARTTLS: true });
  const { mails } = own.control;
  return {
    own,
    smtp,
    mails,
    add: (subject: string) =>
      mails.add({ to: TO, subject, text: subject, html: subject, expiresAt: own.clock.now() + DAY_MS }),
    ended: async (id: MailId) => (await mails.get(id))?.state !== "waiting",
    subjects: () => smtp.received.map(({ source }) => /^Subject: (.*)$/m.exec(source)?.[1]?.trim()),
  };
};

test("e-mails are sent, each once, by whichever of two workers comes first", async () => {
  const { own, smtp, mails, add, ended, subjects } = await opened();
  const before = await Promise.all(Array.from({ length: 15 }, (_, n) => add(`before ${n}`)));
  const other = await Delivering.open(own.clock, own.control);
  await own.start({ mailer: mailerTo(smtp.port) });
  await other.start({ mailer: mailerTo(smtp.port) });
  const after = await Promise.all(Array.from({ length: 15 }, (_, n) => add(`after ${n}`)));
  const all = [...before, ...after];
  await own.passing("all to be sent", async () => (await Promise.all(all.map(ended))).every(Boolean));
  expect(new Set(subjects()).size).toBe(30);
  expect(smtp.received.length).toBe(30);
  expect(await mails.waiting()).toBe(0);
  const sent = await Promise.all(
    [own, other].map(async ({ telemetry }) => {
      const { text } = await telemetry.metrics.expose();
      return Number(/^deliver_mails_total\{outcome="sent"\} (\d+)$/m.exec(text)?.[1]);
    }),
  );
  expect((sent[0] ?? 0) + (sent[1] ?? 0)).toBe(30);
});

test("an e-mail is tried again while the server is ill, and given up where it says never", async () => {
  const { own, smtp, mails, add } = await opened();
  smtp.refuse(451, "greylisted");
  const id = await add("in time");
  await own.start({ mailer: mailerTo(smtp.port) });
  const mailHealth = () => own.health().find(({ name }) => name === "mail");
  await own.passing("two attempts", async () => ((await mails.get(id))?.attempts ?? 0) >= 2);
  await own.passing("the trouble to be told", () => mailHealth()?.state === "degraded");
  expect(mailHealth()?.detail).toMatch(/^SMTP 127\.0\.0\.1:\d+ takes no e-mail: .*451 greylisted/);
  expect(await mails.get(id)).toMatchObject({ state: "waiting", error: expect.stringMatching(/greylisted/) });
  smtp.accept();
  await own.passing("it to be sent", async () => (await mails.get(id))?.state === "sent");
  await own.passing("the trouble to be over", () => mailHealth()?.state === "ok");

  smtp.refuse(550, "nobody of this name");
  const never = await add("never");
  await own.passing("it to be given up", async () => (await mails.get(never))?.state === "failed");
  expect(await mails.get(never)).toMatchObject({ attempts: 1, error: "550 nobody of this name" });
  expect(mailHealth()?.state).toBe("ok");
});

test("e-mails wait where nobody can send them, and it is told", async () => {
  const { own, add, smtp } = await opened();
  await add("one");
  await add("two");
  const stop = await own.start();
  const said = /2 e-mails wait: set SMTP_URL and MAIL_FROM where deliver runs/;
  await own.passing("it to be told", () => own.health().some(({ detail }) => said.test(detail ?? "")));
  const metric = async () =>
    /^deliver_mails_waiting (\d+)$/m.exec((await own.telemetry.metrics.expose()).text)?.[1];
  expect(await metric()).toBe("2");
  await stop();
  await own.start({ mailer: mailerTo(smtp.port) });
  await own.passing("them to be sent", () => smtp.received.length === 2);
  await own.passing("none to wait", async () => (await metric()) === "0");
});

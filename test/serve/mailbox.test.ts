import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { MailId } from "../../schemas/common.ts";
import { Email } from "../../schemas/email.ts";
import { MailboxAnswer } from "../../schemas/mailbox.ts";
import { openMailbox } from "../../src/adapters/mail/mailbox.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { ServeSettings } from "../../src/serve/settings.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { openTestEngines, startTestServe } from "../support/serve.ts";

const LINK = "https://signals.example.org/a?b=c&d=e";
const HOSTILE = '<script>alert(1)</script> "& \u202e';

const serving = async (hasMailbox: boolean, settings: Partial<ServeSettings> = {}) => {
  const engines = await openTestEngines();
  const directory = join(await temporaryDirectory(), "mailbox");
  const mailbox = hasMailbox ? await openMailbox(directory, systemClock, () => undefined) : null;
  const serve = await startTestServe({ ...engines, mailbox }, settings);
  onTestFinished(async () => {
    await serve.stop();
    await engines.close();
  });
  await mailbox?.send({
    id: MailId.parse("eml_01JDA2V3Q8R5T7W9Y1B3D5F7H9"),
    to: Email.parse("jane@example.org"),
    subject: HOSTILE,
    text: `Come in: ${LINK}\n${HOSTILE}`,
    html: "",
  });
  /** With headers as they are given: `fetch` would set its own Host. */
  const ask = async (headers: Record<string, string> = {}) => {
    const { hostname, port } = new URL(serve.url);
    const asked = request({ hostname, port, path: "/dev/mailbox", headers });
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      asked.on("response", resolve).on("error", reject).end();
    });
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  };
  return { serve, ask };
};

test("the mailbox shows what was kept, as a page and as JSON, with nothing of it taken for markup", async () => {
  const { serve, ask } = await serving(true);
  const page = await ask();
  expect(page.status).toBe(200);
  expect(page.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": expect.stringMatching(/^default-src 'none'; style-src 'self'/),
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
  });
  expect(page.body).not.toContain("<script");
  expect(page.body).toContain('<a href="https://signals.example.org/a?b&#61;c&#38;d&#61;e">');
  expect((await fetch(`${serve.url}/pages.css`)).status).toBe(200);
  const { mails } = MailboxAnswer.parse(JSON.parse((await ask({ accept: "application/json" })).body));
  expect(mails).toMatchObject([{ to: "jane@example.org", subject: HOSTILE }]);
});

test("the mailbox is shown to nobody who came by another name or through a proxy", async () => {
  const { ask } = await serving(true);
  expect((await ask({ host: "localhost:8080" })).status).toBe(200);
  for (const headers of [
    { host: "attacker.example" },
    { host: "127.0.0.1.attacker.example" },
    { "x-forwarded-for": "203.0.113.9" },
    { forwarded: "for=203.0.113.9" },
  ])
    expect((await ask(headers)).status).toBe(404);
  const behind = await serving(true, { trustProxy: true });
  expect((await behind.ask({ "x-forwarded-proto": "https" })).status).toBe(404);
  const without = await serving(false);
  expect((await without.ask()).status).toBe(404);
});

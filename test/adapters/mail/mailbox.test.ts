import { readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MailId } from "../../../schemas/common.ts";
import { Email } from "../../../schemas/email.ts";
import type { KeptMail } from "../../../schemas/mailbox.ts";
import { openMailbox } from "../../../src/adapters/mail/mailbox.ts";
import { ulid } from "../../../src/domain/ids.ts";
import { ManualClock } from "../../support/clock.ts";
import { temporaryDirectory } from "../../support/directory.ts";

const MODE = 0o777;
const aMail = (n: number) => ({
  id: MailId.parse(`eml_${ulid(n, new Uint8Array(10))}`),
  to: Email.parse("jane@example.org"),
  subject: `number ${n}`,
  text: "text",
  html: "<p>text</p>",
});

test("a mailbox keeps the newest e-mails for one person's eyes, and tells of each", async () => {
  const directory = join(await temporaryDirectory(), "mailbox");
  const told: KeptMail[] = [];
  const mailbox = await openMailbox(directory, new ManualClock(0), (mail) => told.push(mail));
  expect(await mailbox.newest(5)).toEqual([]);
  for (let n = 1; n <= 203; n++) await mailbox.send(aMail(n));
  await mailbox.send(aMail(203));
  expect(told.map(({ subject }) => subject).slice(-2)).toEqual(["number 203", "number 203"]);
  const kept = await mailbox.newest(500);
  expect(kept.length).toBe(200);
  expect(kept[0]).toEqual({ ...aMail(203), at: "1970-01-01T00:00:00.000Z" });
  expect((await mailbox.newest(2)).map(({ subject }) => subject)).toEqual(["number 203", "number 202"]);
  const files = await readdir(directory);
  expect(files.length).toBe(200);
  const modes = await Promise.all([directory, join(directory, files[0] ?? "")].map((path) => stat(path)));
  expect(modes.map(({ mode }) => mode & MODE)).toEqual([0o700, 0o600]);
});

test("what is no mail in its directory is passed over", async () => {
  const directory = await temporaryDirectory();
  const mailbox = await openMailbox(directory, new ManualClock(0), () => undefined);
  await mailbox.send(aMail(1));
  await writeFile(join(directory, "zzz.json"), '{"to":1}');
  await writeFile(join(directory, "notes.txt"), "mine");
  expect((await mailbox.newest(9)).map(({ subject }) => subject)).toEqual(["number 1"]);
});

import { expect, it } from "vitest";
import { z } from "zod";
import { RuleAnswer } from "../../schemas/rule.ts";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { type ReceivedMail, startSmtp } from "../support/smtp.ts";
import { until } from "../support/until.ts";

const TIMEOUT_MS = 300_000;
const ARRIVES_MS = 120_000;
const SIGNALS = 1_000;
const JANE = "jane@example.org";
const OMAR = "omar@example.org";
const WithId = z.looseObject({ id: z.string() });
const HOSTILE = "mast 0 <img src=x>\u2028Bcc: all@example.org";

/** Headers by their names, and the text part as its reader sees it. */
const readMail = ({ to, source }: ReceivedMail) => {
  const [head = ""] = source.split("\r\n\r\n", 1);
  const lines = head.replaceAll(/\r\n[ \t]+/g, " ").split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const [name = "", ...value] = line.split(": ");
      return [name.toLowerCase(), value.join(": ")] as const;
    }),
  );
  const [, encoding = "", body = ""] =
    /Content-Type: text\/plain.*?Content-Transfer-Encoding: (\S+)(?:\r\n[^\r\n]+)*\r\n\r\n(.*?)\r\n----_NmP/s.exec(
      source,
    ) ?? [];
  const bytes =
    encoding === "base64"
      ? Buffer.from(body, "base64")
      : Buffer.from(
          body
            .replaceAll("=\r\n", "")
            .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          "latin1",
        );
  return { to: to[0], subject: headers.get("subject") ?? "", headers, text: bytes.toString("utf8") };
};

it(
  "tells of a thousand alerts in one e-mail, though the process dies before it, of their end beneath it, until one click",
  async () => {
    const smtp = await startSmtp({ hideSTARTTLS: true });
    const apiKey = newApiKey();
    const environment = {
      DEMO: "false",
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: "alerts@signals.example.org",
    };
    const options = { dataDirectory: await temporaryDirectory(), apiKey, environment };
    const first = await startService(options);
    const source = { type: "push", name: "masts", defaults: { threshold: 0, noDataAfterSeconds: null } };
    const { id: sourceId } = await first.api.expect(WithId, "POST", "/v1/integrations/sources", source);
    const notify = { emails: [JANE, OMAR] };
    const rule = { name: "weak", condition: { operator: "below", value: -75 }, notify };
    await first.api.expect(RuleAnswer, "POST", "/v1/alerts/rules", rule);
    const send = async (api: Api, rssi: number, count = SIGNALS) => {
      const path = `/v1/integrations/sources/${sourceId}/push`;
      const readings = Array.from({ length: count }, (_, n) => ({
        id: n === 0 ? HOSTILE : `mast ${n}`,
        rssi,
      }));
      expect((await api.call("POST", path, readings)).status).toBe(202);
    };
    const mails = () => smtp.received.map(readMail);
    const mailsTo = (address: string, count: number) =>
      until(
        `${count} e-mails to ${address}`,
        () => {
          const own = mails().filter(({ to }) => to === address);
          return own.length >= count && own;
        },
        ARRIVES_MS,
      );

    await send(first.api, -90);
    const alerts = z.object({ alerts: z.array(z.object({ signalId: z.string() })) });
    await until("alerts to fire", async () => {
      const page = await first.api.expect(alerts, "GET", "/v1/alerts?state=firing&limit=500");
      return page.alerts.length === 500;
    });
    expect(smtp.received).toEqual([]);
    await first.service.end("SIGKILL");
    const second = await startService(options);

    const [firing] = await mailsTo(JANE, 1);
    expect(firing?.subject).toBe("[firing] weak: 1,000 alerts");
    expect(firing?.text).toContain("stands for 1,000 changes of alerts");
    expect(firing?.headers.has("bcc")).toBe(false);
    const reasons = firing?.text.match(/http:\/\/127\.0\.0\.1:\d+\/alerts\/alr_\w+/g) ?? [];
    expect(reasons).toHaveLength(50);
    for (const url of reasons) expect(url.startsWith(second.api.url)).toBe(true);

    await send(second.api, -60);
    const [, resolved] = await mailsTo(JANE, 2);
    expect(resolved?.subject).toBe("[resolved] weak: 1,000 alerts");
    expect(resolved?.headers.get("in-reply-to")).toBe(firing?.headers.get("message-id"));
    expect(resolved?.headers.get("references")).toBe(firing?.headers.get("message-id"));

    // What a mail program does when its reader presses "unsubscribe".
    expect(resolved?.headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const stopUrl = /^<(.*)>$/.exec(resolved?.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
    expect((await fetch(stopUrl)).status).toBe(200);
    const clicked = await fetch(stopUrl, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", origin: "https://mail.example" },
      body: "List-Unsubscribe=One-Click",
    });
    expect([clicked.status, await clicked.text()]).toEqual([200, expect.stringContaining("Send them again")]);

    await send(second.api, -90, 1);
    const [, , alone] = await mailsTo(OMAR, 3);
    expect(alone?.subject).toBe("[firing] weak: mast 0 <img src=x> Bcc: all@example.org");
    expect(mails().filter(({ to }) => to === JANE)).toHaveLength(2);
    expect(second.service.stderr).not.toContain(stopUrl.slice(-43));
  },
  TIMEOUT_MS,
);

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AccountId } from "../../schemas/common.ts";
import { RuleCreate } from "../../schemas/rule.ts";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { applyDeclared } from "../../src/compose/declared/apply.ts";
import { readDeclaredFile } from "../../src/config/declared.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { testTelemetry } from "../support/telemetry.ts";

const PAGE = { limit: 100 };
const NEVER = new AbortController().signal;

const opened = async (maxSignals = 1_000): Promise<{ control: ControlStore; accountId: AccountId }> => {
  const path = join(await temporaryDirectory(), "control.db");
  const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  const control = await openSqliteControl({ path, secretKey: randomBytes(32), maxSignals, ...surroundings });
  onTestFinished(() => control.close());
  return { control, accountId: (await control.accounts.first()).id };
};

type Installation = Awaited<ReturnType<typeof opened>>;
/** As a start with this file does; with the log lines that it wrote. */
const started = async (installation: Installation, file: string, environment = {}, lost = NEVER) => {
  const set = { CONFIG_FILE: "signals.yaml", ...environment };
  const { declared, mistakes } = readDeclaredFile(set, () => file);
  if (declared === null) return expect.fail(JSON.stringify(mistakes));
  const lines: object[] = [];
  const line = (fields: object, message: string) => void lines.push({ ...fields, message });
  const silent = testTelemetry();
  const telemetry = { ...silent, log: { ...silent.log, info: line, error: line } };
  const applied = await applyDeclared(declared, { ...installation, lost, telemetry });
  return { applied, lines };
};

/** Everything there is, with revisions. */
const all = async ({ control, accountId }: Installation) => ({
  signals: (await control.signals.list(accountId, { ...PAGE, sort: "createdAt" })).items,
  sources: (await control.sources.list(accountId, PAGE)).items.map(({ source }) => source),
  rules: (await control.rules.list(accountId, PAGE)).items,
  webhooks: (await control.webhooks.list(accountId, PAGE)).items.map(({ webhook }) => webhook),
});

const FILE = `
signals:
  - { name: Roof, externalId: roof-1, threshold: 0.4, labels: { site: north } }
  - { name: Cellar, threshold: 0.3 }
sources:
  - name: gateway
    type: websocket
    url: wss://feed.example/?token=\${TOKEN}
    headers: { Authorization: "Bearer \${TOKEN}" }
    handshake: [{ send: { token: "\${TOKEN}" } }, { expect: $.ok }]
    mapping: { signal: $.id, strength: $.rssi }
  - { name: modem, type: http-poll, url: "https://modem.example", method: POST, body: { key: "\${TOKEN}" } }
rules:
  - { name: weak, condition: { operator: below, value: -75 }, forSeconds: 30 }
webhooks:
  - { name: pager, url: "https://pager.example/hook", events: [signal.failed] }
`;
const TOKEN = { TOKEN: "hush-hush" };

describe("CONFIG_FILE at a start", () => {
  it("makes what is missing, and changes nothing when all is as it says, secrets included", async () => {
    const installation = await opened();
    const first = await started(installation, FILE, TOKEN);
    expect(first.applied).toEqual({ created: 6, changed: 0, refused: 0 });
    const made = await all(installation);
    expect(made.sources[0]?.settings).toMatchObject({ url: "wss://feed.example/?token=hush-hush" });
    const outbox = await installation.control.outbox.read(0, 100);

    const second = await started(installation, FILE, TOKEN);
    expect(second.applied).toEqual({ created: 0, changed: 0, refused: 0 });
    expect(await all(installation)).toEqual(made);
    expect(await installation.control.outbox.read(0, 100)).toEqual(outbox);
    expect(JSON.stringify([first.lines, second.lines])).not.toContain("hush");
  });

  it("changes what differs and no more: a secret, a number; and tells which fields, not what they hold", async () => {
    const installation = await opened();
    await started(installation, FILE, TOKEN);
    const before = await all(installation);
    const { applied, lines } = await started(installation, FILE.replace("-75", "-80"), { TOKEN: "psst" });
    expect(applied).toEqual({ created: 0, changed: 3, refused: 0 });
    expect(lines).toMatchObject([
      {
        kind: "source",
        key: "gateway",
        fields: ["url", "headers", "handshake"],
        message: "config_file_changed",
      },
      { kind: "source", key: "modem", fields: ["body"] },
      { kind: "rule", key: "weak", fields: ["condition"] },
      { message: "config_file_applied", path: "signals.yaml", changed: 3 },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/psst|hush/);
    const after = await all(installation);
    expect(after.signals).toEqual(before.signals);
    expect(after.webhooks).toEqual(before.webhooks);
    expect(after.rules[0]).toMatchObject({
      revision: 2,
      rule: { condition: { value: -80 }, forSeconds: 30 },
    });
    expect(after.sources.map(({ revision }) => revision)).toEqual([2, 2]);
  });

  it("leaves alone what the file does not name, and fields that it leaves out", async () => {
    const installation = await opened();
    await started(installation, FILE, TOKEN);
    const before = await all(installation);
    const [weak] = before.rules;
    if (weak === undefined) return expect.fail();
    await installation.control.rules.update(installation.accountId, weak.rule.id, { severity: "critical" });
    const { applied } = await started(installation, FILE.replace(/signals:[\s\S]*(?=rules:)/, ""), TOKEN);
    expect(applied).toEqual({ created: 0, changed: 0, refused: 0 });
    const after = await all(installation);
    expect({ ...after, rules: [] }).toEqual({ ...before, rules: [] });
    expect(after.rules[0]?.rule.severity).toBe("critical");
  });

  it("keeps the limits of the API, and tells what it could not make without stopping there", async () => {
    const installation = await opened(1);
    const { control, accountId } = installation;
    const weak = RuleCreate.parse({ name: "weak", condition: { operator: "below", value: -60 } });
    for (let time = 0; time < 2; time++) await control.rules.create(accountId, weak);
    const { applied, lines } = await started(installation, FILE, TOKEN);
    expect(applied).toEqual({ created: 4, changed: 0, refused: 2 });
    expect(lines).toContainEqual({
      kind: "signal",
      key: "Cellar",
      reason: "the account has its limit of 1 signals",
      message: "config_file_refused",
    });
    expect(lines).toContainEqual(
      expect.objectContaining({ key: "weak", reason: expect.stringContaining("all called so") }),
    );
  });

  it("makes nothing more once another may have taken its turn", async () => {
    const installation = await opened();
    const before = await all(installation);
    await expect(started(installation, FILE, TOKEN, AbortSignal.abort())).rejects.toThrow();
    expect(await all(installation)).toEqual(before);
  });
});

describe("CONFIG_FILE with mistakes", () => {
  const mistakesIn = (
    file: string,
    environment: Record<string, string> = {},
    files: Record<string, string> = {},
  ) =>
    readDeclaredFile({ CONFIG_FILE: "f.yaml", ...environment }, (path) => {
      const text = path === "f.yaml" ? file : files[path];
      if (text === undefined) throw new Error("no such file");
      return text;
    }).mistakes.map(({ variable, message }) => `${variable} ${message}`);

  it("names JSONPaths that cannot be used and addresses of webhooks that may not be, each by its line", () => {
    const file = `
sources:
  - name: s
    type: push
    mapping:
      signal: $.a
      strength: "$.b["
webhooks:
  - name: inside
    events: [signal.failed]
    url: https://192.168.1.4/hook
  - { name: clear, events: [signal.failed], url: "http://a.example" }
  - { name: metadata, events: [signal.failed], url: "https://169.254.169.254" }
`;
    expect(mistakesIn(file)).toEqual([
      expect.stringMatching(/^CONFIG_FILE f\.yaml, line 5: sources\.0\.mapping: /),
      expect.stringMatching(/line 11: webhooks\.0\.url: 192\.168\.1\.4 is not a public address/),
      expect.stringMatching(/line 12: webhooks\.1\.url: its scheme is http, not https/),
      expect.stringMatching(/line 13: webhooks\.2\.url: 169\.254\.169\.254 is/),
    ]);
    expect(mistakesIn(file, { WEBHOOK_ALLOW_PRIVATE: "true" })).toHaveLength(2);
  });

  it("takes a secret from a file of its own, and tells when that cannot be read", () => {
    const file = `sources: [{ name: s, type: websocket, url: 'wss://a.example/?k=\${KEY}' }]`;
    expect(mistakesIn(file, { KEY_FILE: "key" }, { key: "k\n" })).toEqual([]);
    expect(mistakesIn(file, { KEY_FILE: "gone" })).toContain("KEY_FILE cannot be read: no such file");
    expect(mistakesIn("", { CONFIG_FILE: "gone.yaml" })).toEqual([
      "CONFIG_FILE cannot be read: no such file",
    ]);
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { startService } from "../support/service.ts";
import { newApiKey, Service } from "../support/service-process.ts";

const WAIT_MS = 120_000;
const FILE = `
signals:
  - { name: Roof, externalId: roof-1, threshold: 0.4 }
sources:
  - name: gateway
    type: websocket
    enabled: false
    url: wss://feed.example/signals?token=\${GATEWAY_TOKEN}
    headers: { Authorization: "Bearer \${GATEWAY_TOKEN}" }
  - { name: uplinks, type: push, mapping: { preset: ttn-v3 } }
rules:
  - { name: weak, condition: { operator: below, value: -75 }, forSeconds: 30 }
webhooks:
  - { name: pager, url: "https://pager.example/hook", events: [signal.failed] }
`;

const installation = async (more: Record<string, string> = {}) => {
  const directory = await temporaryDirectory();
  const path = join(directory, "signals.yaml");
  const environment = {
    DEMO: "false",
    LOG_LEVEL: "info",
    CONFIG_FILE: path,
    GATEWAY_TOKEN: "hush-hush",
    ...more,
  };
  const options = { dataDirectory: join(directory, "data"), apiKey: newApiKey(), environment };
  return { options, write: (text: string) => writeFile(path, text) };
};

/** Of everything that there is its name, id and revision. */
const everything = async (api: Api): Promise<Record<string, string>> => {
  const { signals } = await api.client.get("/v1/signals");
  const { sources } = await api.client.get("/v1/integrations/sources");
  const { rules } = await api.client.get("/v1/alerts/rules");
  const { webhooks } = await api.client.get("/v1/integrations/webhooks");
  const lists = {
    "/v1/signals": signals,
    "/v1/integrations/sources": sources,
    "/v1/alerts/rules": rules,
    "/v1/integrations/webhooks": webhooks,
  };
  const found: Record<string, string> = {};
  for (const [path, items] of Object.entries(lists))
    for (const { id, name } of items) {
      const { headers } = await api.call("GET", `${path}/${id}`);
      found[String(name)] = `${id} ${headers.get("etag")}`;
    }
  return found;
};

describe("a start with CONFIG_FILE", () => {
  it(
    "makes what the file says before it is ready, changes nothing at the next start, and then only what differs",
    async () => {
      const { options, write } = await installation();
      await write(FILE);
      const first = await startService(options);
      expect(first.service.stdout).toMatch(/Config {3}\S+signals\.yaml: 5 created, 0 changed\n/);
      const made = await everything(first.api);
      expect(Object.keys(made).sort()).toEqual(["Roof", "gateway", "pager", "uplinks", "weak"]);
      await first.service.end();

      const second = await startService(options);
      expect(second.service.stdout).toContain(": 0 created, 0 changed\n");
      expect(await everything(second.api)).toEqual(made);
      await second.service.end();

      await write(FILE.replace("-75", "-80"));
      const third = await startService(options);
      expect(third.service.stdout).toContain(": 0 created, 1 changed\n");
      expect(third.service.stderr).toMatch(/"kind":"rule","key":"weak".*"config_file_changed"/);
      const changed = await everything(third.api);
      const { weak: _old, ...others } = made;
      const { weak, ...same } = changed;
      expect(same).toEqual(others);
      expect(weak).toMatch(/"2"/);
      expect((await third.api.client.get("/v1/alerts/rules")).rules).toMatchObject([
        { condition: { value: -80 } },
      ]);
      for (const { service } of [first, second, third])
        expect(service.stdout + service.stderr).not.toContain("hush-hush");
    },
    WAIT_MS,
  );

  it(
    "is refused where the file is wrong, with each mistake by its line",
    async () => {
      const { options, write } = await installation({ PORT: "http" });
      await write(FILE.replace("0.4", "7").replace("ttn-v3", "ttn-v33").replace("https://p", "http://p"));
      const service = new Service(options);
      expect(await service.exited()).toBe(1);
      expect(service.stderr).toMatch(/4 mistakes in its settings/);
      expect(service.stderr).toMatch(/PORT .*must be a port/);
      for (const mistake of [
        /line 3: signals\.0\.threshold: /,
        /line 10: sources\.1\.mapping/,
        /line 14: webhooks\.0\.url: /,
      ])
        expect(service.stderr).toMatch(mistake);
    },
    WAIT_MS,
  );
});

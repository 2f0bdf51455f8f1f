import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { startService } from "../support/service.ts";
import { newApiKey, Service } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const run = promisify(execFile);
const Signals = z.object({ signals: z.array(z.object({ id: z.string(), strength: z.number().nullable() })) });
const Rules = z.object({ rules: z.array(z.object({ name: z.string() })) });

describe("npm start", () => {
  it("shows a curl line that works when pasted, with 20 demo signals and their rule", async () => {
    const { service } = await startService({ dataDirectory: await temporaryDirectory() });
    const [, curl] = /Try\s+(curl .*)/.exec(service.stdout) ?? [];
    const pasted = await run("sh", ["-c", `${curl} --silent --show-error --fail`]);
    expect(Signals.parse(JSON.parse(pasted.stdout)).signals.length).toBeLessThanOrEqual(3);
    const [, key] = /API key\s+(sos_\S+)/.exec(service.stdout) ?? [];
    const api = new Api(await service.ready(), key ?? "");
    await until("20 signals with readings", async () => {
      const { signals } = await api.expect(Signals, "GET", "/v1/signals?limit=50");
      return signals.length === 20 && signals.every(({ strength }) => strength !== null);
    });
    const { rules } = await api.expect(Rules, "GET", "/v1/alerts/rules");
    expect(rules).toHaveLength(1);
  });

  it("goes on where it was at a second start, and ends within its time at SIGTERM", async () => {
    const options = { dataDirectory: await temporaryDirectory(), apiKey: newApiKey() };
    const first = await startService(options);
    const made = await until("20 signals", async () => {
      const { signals } = await first.api.expect(Signals, "GET", "/v1/signals?limit=50");
      return signals.length === 20 ? signals : null;
    });
    expect(await first.service.end("SIGTERM")).toBe(0);
    const second = await startService(options);
    const { signals } = await second.api.expect(Signals, "GET", "/v1/signals?limit=50");
    expect(signals.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    const ready = await second.api.call("GET", "/health/ready");
    expect(ready.status).toBe(200);
  });

  it("leaves the demo out when told so", async () => {
    const { api } = await startService({
      dataDirectory: await temporaryDirectory(),
      apiKey: newApiKey(),
      environment: { DEMO: "false" },
    });
    expect((await api.expect(Rules, "GET", "/v1/alerts/rules")).rules).toEqual([]);
    expect((await api.call("GET", "/v1/integrations/sources")).body).toMatchObject({ sources: [] });
  });

  it("refuses a second process on one data directory and says what to do", async () => {
    const dataDirectory = await temporaryDirectory();
    await startService({ dataDirectory });
    const second = new Service({ dataDirectory });
    expect(await second.exited()).toBe(1);
    expect(second.stderr).toMatch(/in use by another running process[\s\S]*DATA_DIR=/);
  });

  it("names every wrong variable at once and ends with code 1", async () => {
    const environment = { PORT: "http", DEMO: "perhaps", HOST: "0.0.0.0" };
    const service = new Service({ dataDirectory: await temporaryDirectory(), environment });
    expect(await service.exited()).toBe(1);
    for (const variable of Object.keys(environment)) expect(service.stderr).toContain(variable);
  });

  it("refuses a bootstrap key of its own making and offers a usable one", async () => {
    const service = new Service({ dataDirectory: await temporaryDirectory(), apiKey: "secret" });
    expect(await service.exited()).toBe(1);
    expect(service.stderr).toMatch(/BOOTSTRAP_API_KEY is no API key[\s\S]*sos_[0-9A-Za-z]{38}/);
  });
});

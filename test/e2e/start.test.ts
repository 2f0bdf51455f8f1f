import { execFile } from "node:child_process";
import { once } from "node:events";
import { cp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { portOf } from "../support/port.ts";
import { startService } from "../support/service.ts";
import { newApiKey, Service } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const run = promisify(execFile);
const Signals = z.object({ signals: z.array(z.object({ id: z.string(), strength: z.number().nullable() })) });

describe("npm start", () => {
  it("shows a curl line that works when pasted, with 20 demo signals and their rule", async () => {
    const { service } = await startService({ dataDirectory: await temporaryDirectory() });
    const [, curl] = /Try\s+(curl .*)/.exec(service.stdout) ?? [];
    const pasted = await run("sh", ["-c", `${curl} --silent --show-error --fail`]);
    expect(Signals.parse(JSON.parse(pasted.stdout)).signals.length).toBeLessThanOrEqual(3);
    const [, key] = /API key\s+(sos_\S+)/.exec(service.stdout) ?? [];
    const api = new Api(await service.ready(), key ?? "");
    await until("20 signals with readings", async () => {
      const { signals } = await api.client.get("/v1/signals");
      return signals.length === 20 && signals.every(({ strength }) => strength !== null);
    });
    const { rules } = await api.client.get("/v1/alerts/rules");
    expect(rules).toHaveLength(1);
  });

  it("goes on where it was at a second start, and ends within its time at SIGTERM", async () => {
    const options = { dataDirectory: await temporaryDirectory(), apiKey: newApiKey() };
    const first = await startService(options);
    const made = await until("20 signals", async () => {
      const { signals } = await first.api.client.get("/v1/signals");
      return signals.length === 20 ? signals : null;
    });
    expect(await first.service.end("SIGTERM")).toBe(0);
    const second = await startService(options);
    const { signals } = await second.api.client.get("/v1/signals");
    expect(signals.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    const ready = await second.api.call("GET", "/health/ready");
    expect(ready.status).toBe(200);
  });

  it("tells what each of its threads uses, and once what the process does", async () => {
    const { api } = await startService({ dataDirectory: await temporaryDirectory() });
    const text = String((await api.call("GET", "/metrics")).body);
    const threads = [...text.matchAll(/^nodejs_heap_size_used_bytes\{thread="(\w+)"\} \d+$/gm)];
    expect(threads.map(([, name]) => name).sort()).toEqual(["evaluate", "ingest", "main", "record"]);
    expect(text.match(/^process_resident_memory_bytes \d+$/gm)).toHaveLength(1);
  });

  it("leaves the demo out when told so", async () => {
    const { api } = await startService({
      dataDirectory: await temporaryDirectory(),
      apiKey: newApiKey(),
      environment: { DEMO: "false" },
    });
    expect((await api.client.get("/v1/alerts/rules")).rules).toEqual([]);
    expect((await api.call("GET", "/v1/integrations/sources")).body).toMatchObject({ sources: [] });
  });

  it("refuses a second process on one data directory and says what to do", async () => {
    const dataDirectory = await temporaryDirectory();
    const { service } = await startService({ dataDirectory });
    const second = new Service({ dataDirectory });
    expect(await second.exited()).toBe(1);
    expect(second.stderr).toContain(
      `in use by another running process of this service (process ${service.pid})`,
    );
    expect(second.stderr).toContain("DATA_DIR=");
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
    expect(service.stderr).toMatch(/BOOTSTRAP_API_KEY\s+is no API key[\s\S]*sos_[0-9A-Za-z]{38}/);
  });

  it("shows the first key at the start that succeeds, and never one that was given", async () => {
    const dataDirectory = await temporaryDirectory();
    const squatter = createServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    const failed = new Service({ dataDirectory, environment: { PORT: String(portOf(squatter)) } });
    expect(await failed.exited()).toBe(1);
    expect(failed.stderr).toMatch(
      /Another program listens at 127\.0\.0\.1:\d+ \(EADDRINUSE\)\.\s+Stop it, or choose another port/,
    );
    squatter.close();

    const { service } = await startService({ dataDirectory });
    expect(service.stdout).toMatch(/API key {2}sos_/);
    await service.end();
    const again = await startService({ dataDirectory });
    expect(again.service.stdout).not.toMatch(/sos_/);
    await again.service.end();
    const apiKey = newApiKey();
    const given = await startService({ dataDirectory, apiKey });
    expect(given.service.stdout).not.toContain(apiKey);
    expect((await given.api.call("GET", "/v1/status")).status).toBe(200);
  });

  it.each([
    ["control data", ["control.db"]],
    ["time series", ["time-series"]],
    ["event log", ["log"]],
  ])("refuses %s that was copied at another time than the rest", async (name, parts) => {
    const dataDirectory = await temporaryDirectory();
    const copy = await temporaryDirectory();
    const first = await startService({ dataDirectory });
    await first.service.end();
    for (const part of parts) await cp(join(dataDirectory, part), join(copy, part), { recursive: true });
    const apiKey = newApiKey();
    const second = await startService({ dataDirectory, apiKey });
    await second.api.recordedMore();
    await second.service.end();
    for (const part of [...parts, "control.db-wal", "control.db-shm"])
      await rm(join(dataDirectory, part), { force: true, recursive: true });
    for (const part of parts) await cp(join(copy, part), join(dataDirectory, part), { recursive: true });
    const refused = new Service({ dataDirectory });
    expect(await refused.exited()).toBe(1);
    expect(refused.stderr).toMatch(new RegExp(`${name} is older than the rest[\\s\\S]*belong together`));
  });
});

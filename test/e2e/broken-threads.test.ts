import { describe, expect, it } from "vitest";
import { temporaryDirectory } from "../support/directory.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const PRELOAD = new URL("../support/breakable-threads.ts", import.meta.url);

const startBreakable = async (how: "terminate" | "throw" | "spin" | "block") =>
  startService({
    dataDirectory: await temporaryDirectory(),
    apiKey: newApiKey(),
    program: new URL("../support/impatient-service.ts", import.meta.url),
    environment: { NODE_OPTIONS: `--import=${PRELOAD}`, BREAK_THREAD: how },
  });

describe("a service of which one thread breaks", () => {
  it.each([
    ["is ended", "terminate", ["the thread of record ended"]],
    ["throws", "throw", ["the thread of record broke", "broken by the test"]],
  ] as const)("ends, and says whose it was, when it %s", async (_, how, said) => {
    const { service } = await startBreakable(how);
    expect(await service.end("SIGUSR2")).toBe(1);
    for (const words of said) expect(service.stderr).toContain(words);
  });

  it("goes on telling of the others while one spins, says that it is down, and ends", async () => {
    const { service, api } = await startBreakable("spin");
    await api.recordedMore();
    process.kill(service.pid, "SIGUSR2");
    const down = await until("the thread to be down", async () => {
      const { status, body } = await api.call("GET", "/health/ready");
      return status === 503 ? body : null;
    });
    expect(down).toMatchObject({
      parts: expect.arrayContaining([
        {
          name: "record",
          state: "down",
          detail: expect.stringMatching(
            /^its thread has not answered for \d s: after 6 s the process ends, to be started again$/,
          ),
        },
      ]),
    });
    const [status, ...scraped] = await Promise.all(
      ["/v1/status", "/metrics", "/metrics", "/metrics"].map((path) => api.call("GET", path)),
    );
    for (const { body } of scraped) {
      expect(body).toMatch(/^thread_metrics_left_out_total\{thread="record"\} \d$/m);
      expect(body).toMatch(/^ingest_readings_total \d/m);
      expect(body).not.toMatch(/^record_rows_total\{/m);
    }
    expect(status?.status).toBe(200);
    expect(await service.exited()).toBe(1);
    expect(service.stderr).toMatch(/"thread":"record","silentMs":6000,"msg":"thread_hung"/);
  });

  it("ends by force when one is stuck where nothing can end it", async () => {
    const { service } = await startBreakable("block");
    expect(await service.end("SIGUSR2")).toBeNull();
    expect(service.stderr).toContain("thread_hung");
  });

  it("ends at once at a second signal while one is stuck", async () => {
    const { service } = await startBreakable("block");
    for (const signal of ["SIGUSR2", "SIGTERM", "SIGINT"] as const) process.kill(service.pid, signal);
    expect(await service.exited()).toBeNull();
    expect(service.stderr).not.toContain("thread_hung");
  });
});

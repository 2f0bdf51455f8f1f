import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { MERGES_NICENESS } from "../../../src/adapters/chdb/nice-merges.ts";
import { startChdb } from "../../../src/adapters/chdb/supervisor.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { readingLine } from "../../../src/domain/reading-line.ts";
import { killChild, openChdb } from "../../support/chdb.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { readingsIn } from "../../support/readings.ts";
import { bytes, signalId } from "../../support/rows.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const PARENT = fileURLToPath(new URL("../../support/chdb-parent.ts", import.meta.url));
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
const line = bytes(readingLine(signalId(1), Date.UTC(2026, 0, 1), -42));

test("what was stored is there after a stop and a start", async () => {
  const directory = await temporaryDirectory();
  const first = await openChdb(directory);
  await first.timeSeries.insertReadings("a", readingsIn([line]));
  await first.timeSeries.close();
  expect(first.chdb.pid()).toBeNull();
  const second = await openChdb(directory);
  await second.timeSeries.insertReadings("a", readingsIn([line]));
  expect(await second.timeSeries.readingCounts()).toEqual({ raw: 1, minute: 1, hour: 1 });
  await second.timeSeries.close();
});

test.runIf(process.platform === "linux")("merges give way to queries and inserts", async () => {
  const { chdb, timeSeries } = await openChdb(await temporaryDirectory());
  // Enough for merges of their own accord.
  for (let n = 0; n < 12; n++) await timeSeries.insertReadings(`${n}`, readingsIn([line]));
  const tasks = `/proc/${chdb.pid()}/task`;
  const nicenessOf = async (name: string) => {
    const all = await Promise.all(
      (await readdir(tasks)).map(async (thread) => {
        const stat = await readFile(`${tasks}/${thread}/stat`, "utf8").catch(() => "");
        const [, comm, rest = ""] = /^\d+ \((.*)\) (.*)/.exec(stat) ?? [];
        // proc_pid_stat(5): field 19, and the rest begins with the third.
        return comm === name ? [Number(rest.split(" ")[16])] : [];
      }),
    );
    return new Set(all.flat());
  };
  await until("merges to be nice", async () => {
    const niceness = await nicenessOf("MergeMutate");
    return niceness.size === 1 && niceness.has(MERGES_NICENESS);
  });
  expect(await nicenessOf("libuv-worker")).toEqual(new Set([0]));
  await timeSeries.close();
});

test("a child that is killed comes back, is counted, and requests meanwhile are answered", async () => {
  const telemetry = testTelemetry();
  const { chdb, timeSeries } = await openChdb(await temporaryDirectory(), telemetry);
  const before = chdb.pid();
  const inFlight = timeSeries.insertReadings("a", readingsIn([line]));
  killChild(chdb);
  await inFlight;
  expect(await timeSeries.readingCounts()).toEqual({ raw: 1, minute: 1, hour: 1 });
  expect(chdb.pid()).not.toBe(before);
  expect((await telemetry.metrics.expose()).text).toContain("time_series_restarts_total 1");
  await timeSeries.close();
});

const PULSE = { everyMs: 20, downAfterMs: 200, killAfterMs: 1_000 };
const freeze = (pid: number | null) => process.kill(pid ?? 0, "SIGSTOP");

test("a child that hangs is told, ended and started again, and requests meanwhile are answered", async () => {
  const { chdb, timeSeries } = await openChdb(await temporaryDirectory(), testTelemetry(), { pulse: PULSE });
  const before = chdb.pid();
  freeze(before);
  const inFlight = timeSeries.insertReadings("a", readingsIn([line]));
  await until("the silence to be told", () => /has not answered for/.test(timeSeries.health().detail ?? ""));
  expect(timeSeries.health().state).toBe("down");
  await inFlight;
  expect(chdb.pid()).not.toBe(before);
  expect(await timeSeries.readingCounts()).toEqual({ raw: 1, minute: 1, hour: 1 });
  await until("it to be well", () => timeSeries.health().state === "ok");
  await timeSeries.close();
});

test("a child that is busy with many requests is not taken for one that hangs", async () => {
  const { chdb, timeSeries } = await openChdb(await temporaryDirectory(), testTelemetry(), {
    pulse: { ...PULSE, killAfterMs: 2_000 },
  });
  const before = chdb.pid();
  const rows = Array.from({ length: 100_000 }, (_, n) =>
    readingLine(signalId(n % 50), Date.UTC(2026, 0, 1) + n, -42),
  );
  const readings = readingsIn([bytes(rows.join(""))]);
  await Promise.all(Array.from({ length: 20 }, (_, n) => timeSeries.insertReadings(`busy ${n}`, readings)));
  expect(chdb.pid()).toBe(before);
  await timeSeries.close();
});

test("a child that hangs does not hold up a stop", async () => {
  const { chdb, timeSeries } = await openChdb(await temporaryDirectory(), testTelemetry(), {
    pulse: { ...PULSE, killAfterMs: 60_000 },
  });
  freeze(chdb.pid());
  await until("the silence to be told", () => timeSeries.health().state === "down");
  const began = performance.now();
  await timeSeries.close();
  expect(performance.now() - began).toBeLessThan(3_000);
});

test("the child of a parent killed without warning ends, and the directory is free for the next", async () => {
  const directory = await temporaryDirectory();
  const parent = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", PARENT, directory], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void parent.kill("SIGKILL"));
  const [pid] = await once(createInterface(parent.stdout), "line");
  parent.kill("SIGKILL");
  const { timeSeries } = await openChdb(directory);
  expect(await timeSeries.readingCounts()).toEqual({ raw: 0, minute: 0, hour: 0 });
  await until("the orphan to end", () => !isAlive(Number(pid)));
  await timeSeries.close();
});

test("a directory that another process uses is refused in words, and that one goes on", async () => {
  const directory = await temporaryDirectory();
  const { timeSeries } = await openChdb(directory);
  const machine = { clock: systemClock, entropy: systemEntropy, telemetry: testTelemetry() };
  await expect(startChdb({ directory, lockWaitMs: 0, ...machine })).rejects.toThrow(
    /cannot open .*another process/,
  );
  expect(await timeSeries.readingCounts()).toEqual({ raw: 0, minute: 0, hour: 0 });
  await timeSeries.close();
});

test("where the data directory's path is too long for a socket, a short private one is made and removed", async () => {
  const directory = join(await temporaryDirectory(), "d".repeat(120));
  const { chdb, timeSeries } = await openChdb(directory);
  const place = dirname(chdb.socketPath);
  expect(Buffer.byteLength(chdb.socketPath)).toBeLessThan(104);
  expect((await stat(place)).mode & 0o777).toBe(0o700);
  await timeSeries.insertReadings("a", readingsIn([line]));
  await timeSeries.close();
  await expect(stat(place)).rejects.toThrow("ENOENT");
});

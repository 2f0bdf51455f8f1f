import { execFile } from "node:child_process";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { openSqliteControl } from "../../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import type { Clock } from "../../../src/ports/clock.ts";
import { ControlUnavailableError } from "../../../src/ports/control-store.ts";
import { aSignal, MINE, succeeded } from "../../conformance/control-store/examples.ts";
import { ManualClock } from "../../support/clock.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const LOSE = join(import.meta.dirname, "lose-the-thread.ts");
const FILL = join(import.meta.dirname, "fill-the-disk.ts");
const telemetry = testTelemetry();
const openAt = async (path: string, busyTimeoutMs = 20, clock: Clock = systemClock) => {
  const options = { secretKey: new Uint8Array(32), clock, entropy: systemEntropy, telemetry };
  const store = await openSqliteControl({ path, busyTimeoutMs, ...options });
  onTestFinished(() => store.close());
  return store;
};
const opened = async (busyTimeoutMs?: number, clock?: Clock) => {
  const path = join(await temporaryDirectory(), "control.sqlite");
  const store = await openAt(path, busyTimeoutMs, clock);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  return { path, store, other };
};

describe("control data on SQLite in trouble", () => {
  it("names a lock that another process holds, is down meanwhile, and well after the next write", async () => {
    const { store, other } = await opened();
    other.exec("begin immediate");
    const refused = await store.signals.create(MINE, aSignal()).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ControlUnavailableError);
    expect(String(refused)).toContain("locked by another process");
    expect(await store.signals.list(MINE, { limit: 1, sort: "name" })).toMatchObject({ items: [] });
    const down = { name: "control", state: "down", detail: "SQLite: locked by another process" };
    expect(store.health()).toEqual(down);
    other.exec("rollback");
    succeeded(await store.signals.create(MINE, aSignal()));
    expect(store.health()).toMatchObject({ state: "ok", detail: null });
    expect((await telemetry.metrics.expose()).text).toContain("control_unavailable_total 1");
  });

  it("is well again by itself when a write is possible, though nobody tries one", async () => {
    const clock = new ManualClock();
    const { store, other } = await opened(20, clock);
    other.exec("begin immediate");
    await expect(store.facts.set("a", "b")).rejects.toThrow("locked by another process");
    clock.advance(1_000);
    await store.facts.get("a");
    expect(store.health()).toMatchObject({ state: "down" });
    other.exec("rollback");
    clock.advance(1_000);
    await until("control data to be well", () => store.health().state === "ok");
  });

  it("says so when the database gives no answer, and takes no more callers than it can hold", async () => {
    const clock = new ManualClock();
    const { store, other } = await opened(60_000, clock);
    other.exec("begin immediate");
    const write = store.facts.set("a", "b");
    const reads = Array.from({ length: 10_000 }, () => store.facts.get("a").catch(String));
    await until("the hang to be told", () => {
      clock.advance(1_000);
      const { state, detail } = store.health();
      return state === "down" && /^SQLite: no answer for 1\d s: check the disk/.test(detail ?? "");
    });
    other.exec("rollback");
    await write;
    const refused = (await Promise.all(reads)).filter((answer) => answer?.includes("callers wait"));
    expect(refused).toHaveLength(1);
  });

  it("ends the process with its thread, to be started again, instead of living on without control data", async () => {
    const path = join(await temporaryDirectory(), "control.sqlite");
    const ended = promisify(execFile)(process.execPath, [LOSE, path]);
    await expect(ended).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("control data cannot be used: its thread is lost"),
    });
  });

  it("does nothing by halves when its file system refuses a write, and goes on when one fits", async () => {
    const path = join(await temporaryDirectory(), "control.sqlite");
    // 2 MiB: well below what ten thousand signals take.
    const command = `ulimit -S -f 4096; exec "$0" "$@"`;
    const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, FILL, path]);
    const { whenFull, whenRoom, made } = JSON.parse(stdout);
    expect(whenFull).toEqual({
      failure: expect.stringMatching(/^ControlUnavailableError: control data cannot be used: /),
      health: "down",
      signals: 10,
      outbox: 10,
    });
    expect(whenRoom).toEqual({ health: "ok", signals: 20, outbox: 20 });
    expect(made).toBe(20);
  });

  it("says what is wrong with a file that is no database, or a directory that is not there", async () => {
    const directory = await temporaryDirectory();
    await writeFile(join(directory, "text"), "this is not a database, however long it may be. ".repeat(50));
    await expect(openAt(join(directory, "text"))).rejects.toThrow("the file is not a database");
    await expect(openAt(join(directory, "no", "such"))).rejects.toThrow("no such file or directory");
  });

  it("lets nobody else read its files", async () => {
    const { path, store } = await opened();
    await store.facts.set("a", "b");
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect((await stat(file)).mode & 0o077).toBe(0);
  });

  it("refuses an externalId that another process gave away meanwhile, and keeps no half of the change", async () => {
    const { store, other } = await opened();
    const { definition } = succeeded(await store.signals.create(MINE, aSignal({ externalId: "a" })));
    other.exec(`update signal set external_id = 'b' where id = '${definition.id}'`);
    const second = succeeded(await store.signals.create(MINE, aSignal({ externalId: "a" }))).definition;
    const taken = await store.signals.update(MINE, second.id, { externalId: "b", labels: { a: "b" } });
    expect(taken).toMatchObject({ ok: false, reason: "conflict", path: "externalId" });
    expect((await store.signals.get(MINE, second.id))?.definition).toEqual(second);
  });

  it("gives other work its turn between statements, synchronous as they are", async () => {
    const { store } = await opened();
    let turned = false;
    setImmediate(() => {
      turned = true;
    });
    const deadline = performance.now() + 5000;
    while (!turned && performance.now() < deadline) await store.facts.get("a");
    expect(turned).toBe(true);
  });
});

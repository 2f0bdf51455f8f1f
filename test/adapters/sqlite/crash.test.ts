import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { expect, it, onTestFinished } from "vitest";
import type { SignalDefinition } from "../../../schemas/change.ts";
import { openSqliteControl } from "../../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import type { ControlStore } from "../../../src/ports/control-store.ts";
import { MINE } from "../../conformance/control-store/examples.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const PROCESS = join(import.meta.dirname, "changing-process.ts");
const KILLS = 4;

/** Runs the changing process, kills it after `lines` acknowledged changes, and gives those that were told. */
const killAfter = async (path: string, lines: number): Promise<string[]> => {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", PROCESS, path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close");
  const told: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    told.push(line);
    if (told.length === lines) child.kill("SIGKILL");
  }
  await closed;
  expect(child.signalCode).toBe("SIGKILL");
  return told;
};

const open = async (path: string): Promise<ControlStore> => {
  const store = await openSqliteControl({
    path,
    secretKey: new Uint8Array(32).fill(1),
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: testTelemetry(),
  });
  onTestFinished(() => store.close());
  return store;
};

/** What the outbox says of each signal: its definition, or its last revision once deleted. */
const told = async ({ outbox }: ControlStore) => {
  const rows = await outbox.read(0, 1_000_000);
  expect(rows.map(({ position }) => position)).toEqual(rows.map((_, index) => index + 1));
  const signals = new Map<string, SignalDefinition>();
  const deleted = new Map<string, number>();
  for (const { entry } of rows) {
    if (entry.topic === "sources") continue;
    const { change } = entry;
    if (change.type === "signal") {
      expect(change.signal.revision).toBe((signals.get(change.signal.id)?.revision ?? 0) + 1);
      signals.set(change.signal.id, change.signal);
    } else if (change.type === "signalDeleted") {
      expect(change.revision).toBe((signals.get(change.signalId)?.revision ?? 0) + 1);
      signals.delete(change.signalId);
      deleted.set(change.signalId, change.revision);
    }
  }
  return { signals, deleted };
};

it("keeps every change that it acknowledged, and rows and outbox in step, however often it is killed", async () => {
  const path = join(await temporaryDirectory(), "control.sqlite");
  const acknowledged: string[] = [];
  for (let kill = 0; kill < KILLS; kill++) acknowledged.push(...(await killAfter(path, 100 + 29 * kill)));
  const store = await open(path);
  const { signals, deleted } = await told(store);
  const stored = await store.signals.all(null, 1_000_000);
  expect(new Map(stored.map(({ definition }) => [definition.id, definition]))).toEqual(signals);
  for (const line of acknowledged) {
    const [id = "", revision = ""] = line.split(" ");
    const known = deleted.get(id) ?? signals.get(id)?.revision ?? 0;
    expect(known, line).toBeGreaterThanOrEqual(Number(revision));
    if (revision === "0") expect(deleted.has(id), line).toBe(true);
  }
  const page = await store.signals.list(MINE, { limit: 10_000, sort: "name" });
  expect(page.items).toHaveLength(stored.length);
});

it("leaves a file that SQLite finds whole", async () => {
  const path = join(await temporaryDirectory(), "control.sqlite");
  await killAfter(path, 300);
  await open(path);
  const database = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => database.close());
  expect(database.prepare("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
  expect(database.prepare("pragma foreign_key_check").all()).toEqual([]);
  const counted = "select (select signals from signal_count) - (select count(*) from signal) as difference";
  expect(database.prepare(counted).get()).toEqual({ difference: 0 });
  const unlabelled =
    "select count(*) as signals from signal where labels <> '{}' and id not in (select signal_id from signal_label)";
  expect(database.prepare(unlabelled).get()).toEqual({ signals: 0 });
});

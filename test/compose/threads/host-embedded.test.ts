import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteControl } from "../../../src/adapters/sqlite/open.ts";
import { systemClock, systemEntropy } from "../../../src/adapters/system/clock.ts";
import { hostEmbedded } from "../../../src/compose/threads/host-embedded.ts";
import { type Config, readConfig } from "../../../src/config/config.ts";
import { ManualClock } from "../../support/clock.ts";
import { temporaryDirectory } from "../../support/directory.ts";
import { openTestLog } from "../../support/lmdb-log.ts";
import { testTelemetry } from "../../support/telemetry.ts";

const SERVERS = {
  KAFKA_BROKERS: "127.0.0.1:9092",
  DATABASE_URL: "postgres://127.0.0.1/signals",
  SECRET_KEY: "01".repeat(32),
};

const configOf = (environment: Readonly<Record<string, string>>): Config => {
  const outcome = readConfig(environment, () => "");
  if ("mistakes" in outcome) throw new Error(outcome.mistakes.join("\n"));
  return outcome.config;
};

/** What a thread is told within a second, and how many listeners its port has then and after the end. */
const hosted = async (environment: Readonly<Record<string, string>>) => {
  const directory = await temporaryDirectory();
  const log = await openTestLog({ directory });
  onTestFinished(() => log.close());
  const control = await openSqliteControl({
    path: join(directory, "control.db"),
    secretKey: randomBytes(32),
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: testTelemetry(),
  });
  onTestFinished(() => control.close());
  const listeners = new Set<unknown>();
  let told = 0;
  const port = {
    postMessage: () => void told++,
    on: (_: string, listener: unknown) => listeners.add(listener),
    off: (_: string, listener: unknown) => listeners.delete(listener),
  };
  const clock = new ManualClock();
  const end = hostEmbedded({ log, control }, configOf(environment), port, clock);
  clock.advance(1_000);
  const listening = listeners.size;
  end();
  return { told, listening, left: listeners.size };
};

test("a thread is told of the embedded log ten times a second, and may ask for control data", async () => {
  expect(await hosted({})).toEqual({ told: 10, listening: 5, left: 0 });
});

test("a thread that has its own clients of servers is told nothing, and nobody listens to it", async () => {
  expect(await hosted(SERVERS)).toEqual({ told: 0, listening: 0, left: 0 });
});

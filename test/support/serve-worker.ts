import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "../../schemas/api-key.ts";
import type { AccountId } from "../../schemas/common.ts";
import type { ControlOptions } from "../../src/adapters/control/store.ts";
import { openSqliteControl } from "../../src/adapters/sqlite/open.ts";
import { argon2Passwords } from "../../src/adapters/system/argon2.ts";
import { systemClock, systemEntropy } from "../../src/adapters/system/clock.ts";
import { apiKeyHash, apiKeyPrefix, generateApiKey } from "../../src/domain/api-key.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import type { EventLog } from "../../src/ports/event-log.ts";
import type { Telemetry } from "../../src/ports/telemetry.ts";
import type { TimeSeries } from "../../src/ports/time-series.ts";
import type { Health } from "../../src/ports/worker.ts";
import { type ServeOptions, startServe } from "../../src/serve/serve.ts";
import type { ServeSettings } from "../../src/serve/settings.ts";
import { Api } from "./api.ts";
import { openChdb } from "./chdb.ts";
import { openTestLog } from "./lmdb-log.ts";
import { testTelemetry } from "./telemetry.ts";

const machine = { clock: systemClock, entropy: systemEntropy };

/** The three embedded engines in a directory of their own, without any worker. */
export interface TestEngines {
  readonly log: EventLog;
  readonly control: ControlStore;
  readonly timeSeries: TimeSeries;
  readonly accountId: AccountId;
  readonly telemetry: Telemetry;
  /** A new key of the first account. */
  newKey(...scopes: Scope[]): Promise<string>;
  close(): Promise<void>;
}

export const newKeyOn =
  (control: ControlStore, accountId: AccountId): TestEngines["newKey"] =>
  async (...scopes) => {
    const key = generateApiKey(systemEntropy.bytes(32));
    const hash = apiKeyHash(key);
    await control.apiKeys.create(accountId, { name: "test", prefix: apiKeyPrefix(key), hash, scopes });
    return key;
  };

export const openTestEngines = async (
  limits: Pick<ControlOptions, "maxRules"> = {},
): Promise<TestEngines> => {
  const directory = await mkdtemp(join(tmpdir(), "sos-serve-"));
  const telemetry = testTelemetry();
  const [log, control, { timeSeries }] = await Promise.all([
    openTestLog({ directory: join(directory, "log"), partitions: { readings: 2 } }),
    openSqliteControl({
      path: join(directory, "control.db"),
      secretKey: systemEntropy.bytes(32),
      ...machine,
      ...limits,
      telemetry,
    }),
    openChdb(join(directory, "time-series")),
  ]);
  const { id: accountId } = await control.accounts.first();
  return {
    log,
    control,
    timeSeries,
    accountId,
    telemetry,
    newKey: newKeyOn(control, accountId),
    close: async () => {
      await timeSeries.close();
      await control.close();
      await log.close();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

export interface TestServe {
  readonly url: string;
  readonly api: Api;
  readonly key: string;
  health: Health[];
  stop(): Promise<void>;
}

/** The real serve worker on the engines, with a key of every scope. */
export const startTestServe = async (
  engines: TestEngines & Pick<ServeOptions, "mailbox" | "outside"> & Partial<Pick<ServeOptions, "clock">>,
  settings: Partial<ServeSettings> = {},
): Promise<TestServe> => {
  const key = await engines.newKey("read", "write", "admin");
  const parts: { health: Health[] } = { health: [] };
  const serve = await startServe({
    ...machine,
    ...engines,
    passwords: argon2Passwords(systemEntropy),
    settings: { host: "127.0.0.1", port: 0, trustProxy: false, version: "0.0.0-test", ...settings },
    health: () => parts.health,
  });
  return Object.assign(parts, {
    url: serve.url,
    api: new Api(serve.url, key),
    key,
    stop: () => serve.stop(),
  });
};

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EngineProcess, startProcess } from "../../src/adapters/chdb/process.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { pinoLogger } from "../../src/telemetry/telemetry.ts";
import { freePorts } from "./free-ports.ts";

/** A real server, made new, that a test may kill and start again: data and port outlast that. */
export interface TestClickHouse {
  readonly url: string;
  /** The cluster that it is; null: one server. */
  readonly cluster: string | null;
  start(): Promise<void>;
  /** Nothing is written any more, nobody is told. */
  kill(): Promise<void>;
  /** It answers nothing, and its connections stay: a machine that hangs. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  remove(): Promise<void>;
}

export const CLICKHOUSE_LOGIN = { user: "test", password: "test-secret" };
const HOST = "127.0.0.1";
const LOCK_WAIT_MS = 15_000;

/** The engine of ClickHouse as it is embedded, listening on a port of the loopback interface. */
export class ChdbServer implements TestClickHouse {
  readonly url: string;
  readonly cluster = null;
  readonly #port: number;
  readonly #directory: string;
  #process: EngineProcess | null = null;

  private constructor(port: number, directory: string) {
    this.url = `http://${HOST}:${port}`;
    this.#port = port;
    this.#directory = directory;
  }

  static async make(): Promise<ChdbServer> {
    const [port = 0] = await freePorts(1);
    const server = new ChdbServer(port, await mkdtemp(join(tmpdir(), "sos-clickhouse-")));
    await server.start();
    return server;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  async start(): Promise<void> {
    const options = {
      directory: this.#directory,
      bodies: `${this.#directory}-bodies`,
      listen: { host: HOST, port: this.#port, ...CLICKHOUSE_LOGIN },
      database: "signals",
      settings: {},
      lockWaitMs: LOCK_WAIT_MS,
    };
    this.#process = await startProcess(options, systemClock, pinoLogger(process.env.TEST_LOG ?? "silent"));
  }
  async kill(): Promise<void> {
    this.#process?.kill();
    await this.#process?.exited;
  }
  async freeze(): Promise<void> {
    process.kill(this.pid, "SIGSTOP");
  }
  async thaw(): Promise<void> {
    process.kill(this.pid, "SIGCONT");
  }
  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

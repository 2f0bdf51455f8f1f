import { rm } from "node:fs/promises";
import { join } from "node:path";
import { ENGINE, fullJitterMs } from "../../domain/backoff.ts";
import type { Clock, Entropy } from "../../ports/clock.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import type { ClickHouseTransport } from "../clickhouse/transport.ts";
import type { ChildArguments } from "./messages.ts";
import { type EngineProcess, startProcess } from "./process.ts";
import { PULSE_LIMITS, Pulse, type PulseLimits } from "./pulse.ts";
import { type SocketPlace, socketPlace } from "./socket-path.ts";
import { chdbTransport, DATABASE } from "./transport.ts";

/** A run this long ends the series of failures that the back-off counts. */
const HEALTHY_AFTER_MS = 30_000;
const LOCK_WAIT_MS = 15_000;
const MIB = 1024 * 1024;
/** Server settings of the engine: its own defaults are made for a machine that does nothing else. */
const SETTINGS = {
  max_server_memory_usage: 1536 * MIB,
  mark_cache_size: 64 * MIB,
  primary_index_cache_size: 64 * MIB,
  index_mark_cache_size: 16 * MIB,
  query_condition_cache_size: 16 * MIB,
};

export interface ChdbOptions {
  /** For the engine alone; made if missing. */
  readonly directory: string;
  /** For how long to wait for a dying process that still holds the directory. */
  readonly lockWaitMs?: number;
  readonly pulse?: PulseLimits;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly telemetry: Telemetry;
}

/** The embedded engine: a child process that is there again soon after it died. */
export interface Chdb {
  readonly socketPath: string;
  /** Of the child running now, or null between two. */
  pid(): number | null;
  /** For `openTimeSeries`. Closing the time series stops the child. */
  readonly transport: ClickHouseTransport;
  /** Lets running queries end, closes the engine; safe to call twice. */
  stop(): Promise<void>;
}

class Supervisor {
  readonly #options: ChdbOptions;
  readonly #arguments: ChildArguments;
  readonly #stopping = new AbortController();
  readonly #pulse: Pulse;
  #running: EngineProcess | null;
  #loop: Promise<void> = Promise.resolve();
  #lastExit: string | null = null;

  constructor(
    options: ChdbOptions,
    childArguments: ChildArguments,
    socketPath: string,
    first: EngineProcess,
  ) {
    this.#options = options;
    this.#arguments = childArguments;
    this.#running = first;
    this.#pulse = new Pulse({
      socketPath,
      limits: options.pulse ?? PULSE_LIMITS,
      clock: options.clock,
      running: () => this.#running,
      hangs: (child) => {
        options.telemetry.log.error({ pid: child.pid }, "time_series_engine_hangs");
        child.kill();
      },
    });
  }

  get running(): EngineProcess | null {
    return this.#running;
  }
  /** In words; null while the engine is there and answers. */
  fault(): string | null {
    return this.#running === null ? `restarting after ${this.#lastExit}` : this.#pulse.fault();
  }

  keepAlive(): void {
    this.#loop = this.#keepAlive();
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("stopping"));
    // One that does not answer will not close itself either.
    if (this.#pulse.fault() !== null) this.#running?.kill();
    this.#pulse.stop();
    await this.#running?.stop();
    await this.#loop;
  }

  async #keepAlive(): Promise<void> {
    const { clock, telemetry } = this.#options;
    const restarts = telemetry.metrics.counter(
      "time_series_restarts_total",
      "Times that the embedded engine was started again.",
    );
    for (let attempt = 0; this.#running !== null; attempt++) {
      const startedAt = clock.monotonic();
      const cause = await this.#running.exited;
      this.#running = null;
      if (this.#stopping.signal.aborted) return;
      this.#lastExit = cause;
      telemetry.log.warn({ cause }, "time_series_engine_died");
      if (clock.monotonic() - startedAt > HEALTHY_AFTER_MS) attempt = 0;
      this.#running = await this.#restart(attempt);
      if (this.#running !== null) restarts.add(1);
    }
  }

  /** Tries until a child is ready; null when told to stop. */
  async #restart(firstAttempt: number): Promise<EngineProcess | null> {
    const { clock, entropy, telemetry } = this.#options;
    const { signal } = this.#stopping;
    for (let attempt = firstAttempt; ; attempt++) {
      try {
        // The first restart is not delayed: a single fault should not be felt.
        if (attempt > 0) await clock.sleep(fullJitterMs(ENGINE, attempt, entropy.random()), signal);
        if (signal.aborted) return null;
        const process = await startProcess(this.#arguments, clock, telemetry.log, signal);
        if (!signal.aborted) return process;
        await process.stop();
        return null;
      } catch (error) {
        if (signal.aborted) return null;
        telemetry.log.error({ error: String(error) }, "time_series_engine_cannot_start");
      }
    }
  }
}

/** Starts the embedded engine. Throws EngineNotInstalledError, or an Error that says why it cannot open its directory. */
export const startChdb = async (options: ChdbOptions): Promise<Chdb> => {
  const place: SocketPlace = await socketPlace(options.directory);
  const childArguments: ChildArguments = {
    directory: join(options.directory, "engine"),
    bodies: join(options.directory, "bodies"),
    listen: { path: place.path },
    database: DATABASE,
    settings: SETTINGS,
    lockWaitMs: options.lockWaitMs ?? LOCK_WAIT_MS,
  };
  const removeMade = async () => {
    if (place.made !== null) await rm(place.made, { recursive: true, force: true });
  };
  const removePlace = async () => {
    // A child that was killed leaves its socket behind, which no copy of the directory takes.
    await rm(place.path, { force: true });
    await removeMade();
  };
  const first = await startProcess(childArguments, options.clock, options.telemetry.log).catch(
    async (error: unknown) => {
      // The socket may be that of another process, which has the directory.
      await removeMade();
      throw error;
    },
  );
  const supervisor = new Supervisor(options, childArguments, place.path, first);
  supervisor.keepAlive();
  let stopped: Promise<void> | null = null;
  const stop = () => {
    stopped ??= supervisor.stop().then(removePlace);
    return stopped;
  };
  return {
    socketPath: place.path,
    pid: () => supervisor.running?.pid ?? null,
    transport: { ...chdbTransport(place.path), fault: () => supervisor.fault(), close: stop },
    stop,
  };
};

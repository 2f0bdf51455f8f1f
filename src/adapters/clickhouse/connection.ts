import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import type { z } from "zod";
import { ENGINE, fullJitterMs } from "../../domain/backoff.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { Telemetry } from "../../ports/telemetry.ts";
import { TimeSeriesUnavailableError } from "../../ports/time-series.ts";
import type { Health } from "../../ports/worker.ts";
import { faultOf } from "./faults.ts";
import type { ClickHouseTransport } from "./transport.ts";
import { failureOf, isUnanswered } from "./what-failed.ts";

const REQUEST_TIMEOUT_MS = 60_000;
const REQUESTS_MAX = 256;
const CONNECTIONS_MAX = 10;

/** The server gives up, with words, before the client does. */
const QUORUM_TIMEOUT_MS = 45_000;
const CLUSTER_COMMAND = { distributed_ddl_task_timeout: "45" } as const;

/**
 * An insert counts when most replicas have it: one that is lost for good takes nothing along. Their number is given, as
 * `auto` waits for ever where there is only one.
 */
const quorumOf = ({ cluster }: ClickHouseTransport): Settings => {
  if (cluster === undefined || cluster.replicas < 2) return {};
  const insert_quorum = String(Math.floor(cluster.replicas / 2) + 1);
  return { insert_quorum, insert_quorum_timeout: QUORUM_TIMEOUT_MS };
};

export interface ConnectionOptions extends Surroundings {
  readonly transport: ClickHouseTransport;
  /** Of the silence after which a request is given up; default: 60 s. */
  readonly requestTimeoutMs?: number;
}

export type Settings = Readonly<Record<string, string | number>>;
export interface Insert {
  readonly table: string;
  readonly columns: readonly [string, ...string[]];
  /** Asked at every try. */
  readonly settings: () => Settings;
  readonly format: "Native" | "TabSeparated";
  readonly body: readonly Uint8Array[];
}
export type Parameters = Readonly<Record<string, string | number | readonly string[]>>;

const metricsOf = ({ metrics }: Telemetry) => ({
  inFlight: metrics.gauge("time_series_requests_in_flight", "Requests to the time series, waiting ones too."),
  seconds: metrics.histogram(
    "time_series_request_seconds",
    "Requests to the time series, retries included.",
    ["request"],
  ),
  retries: metrics.counter("time_series_retries_total", "Requests to the time series tried again."),
  faults: metrics.counter("time_series_faults_total", "Requests to the time series that failed.", ["fault"]),
});

/** Requests to one engine: bounded, timed, tried again while no answer comes, failing with the port's errors. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #client: ClickHouseClient;
  readonly #metrics: ReturnType<typeof metricsOf>;
  readonly #closing = new AbortController();
  #inFlight = 0;
  #failing: { readonly detail: string; readonly at: number; readonly wasAnswered: boolean } | null = null;

  constructor(options: ConnectionOptions, database: string) {
    this.#options = options;
    this.#metrics = metricsOf(options.telemetry);
    this.#client = createClient({
      ...options.transport.connection,
      database,
      request_timeout: options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
      max_open_connections: CONNECTIONS_MAX,
      // Its own lines would show queries; what fails is logged and counted by name where it matters.
      log: { level: ClickHouseLogLevel.OFF },
    });
  }

  /** Every try sends the same bytes; whether that is safe is the caller's affair (a token, or a statement that may run twice). */
  async insert(insert: Insert, signal?: AbortSignal): Promise<void> {
    await this.#request("insert", signal, async (abortSignal) => {
      // Its `insert` knows no Native; `exec` with values is the same request.
      const { stream } = await this.#client.exec({
        query: `INSERT INTO ${insert.table} (${insert.columns.join(", ")}) FORMAT ${insert.format}`,
        values: Readable.from(insert.body, { objectMode: false }),
        clickhouse_settings: { ...insert.settings(), ...quorumOf(this.#options.transport) },
        abort_signal: abortSignal,
      });
      await buffer(stream);
    });
  }

  /** Rows as arrays of the columns asked for, checked with `row`. */
  async select<Row>(
    row: z.ZodType<Row>,
    query: string,
    parameters: Parameters = {},
    settings: Settings = {},
  ): Promise<Row[]> {
    const rows = await this.#request("select", undefined, async (abortSignal) => {
      const result = await this.#client.query({
        query,
        format: "JSONCompactEachRow",
        query_params: { ...parameters },
        clickhouse_settings: { ...settings, output_format_json_quote_64bit_integers: 0 },
        abort_signal: abortSignal,
      });
      return await result.json<unknown>();
    });
    return rows.map((values) => row.parse(values));
  }

  /** Tab-separated rows as the engine writes them, all of them or none. */
  async read(
    query: string,
    parameters: Parameters = {},
    settings: Settings = {},
    signal?: AbortSignal,
  ): Promise<Uint8Array> {
    return await this.#request("read", signal, async (abortSignal) => {
      const { stream } = await this.#client.exec({
        query: `${query} FORMAT TabSeparated`,
        query_params: { ...parameters },
        // A fault comes with its status, not amid the rows.
        clickhouse_settings: { ...settings, wait_end_of_query: 1 },
        abort_signal: abortSignal,
      });
      return await buffer(stream);
    });
  }

  async command(query: string): Promise<void> {
    await this.#request("command", undefined, async (abortSignal) => {
      await this.#client.command({
        query,
        ...(this.#options.transport.cluster === undefined ? {} : { clickhouse_settings: CLUSTER_COMMAND }),
        abort_signal: abortSignal,
      });
    });
  }

  health(): Health {
    const { transport } = this.#options;
    const fault = transport.fault();
    const detail = fault ?? this.#trouble();
    const state = fault !== null ? "down" : detail === null ? "ok" : "degraded";
    return { name: "time-series", state, detail: detail === null ? null : `${transport.name}: ${detail}` };
  }

  async close(): Promise<void> {
    this.#closing.abort(new TimeSeriesUnavailableError("closed"));
    await this.#client.close();
  }

  /** Of the last request, until one succeeds. That nobody answered is over as soon as somebody does. */
  #trouble(): string | null {
    if (this.#failing === null) return null;
    const { detail, at, wasAnswered } = this.#failing;
    const answeredAt = this.#options.transport.answeredAt?.() ?? null;
    return !wasAnswered && answeredAt !== null && answeredAt > at ? null : detail;
  }

  async #request<T>(
    name: string,
    signal: AbortSignal | undefined,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#inFlight >= REQUESTS_MAX) throw new TimeSeriesUnavailableError("too many requests are waiting");
    const either =
      signal === undefined ? this.#closing.signal : AbortSignal.any([signal, this.#closing.signal]);
    const { clock } = this.#options;
    const startedAt = clock.monotonic();
    this.#metrics.inFlight.set(++this.#inFlight);
    try {
      const answer = await this.#answered(() => send(either), either);
      this.#failing = null;
      this.#options.transport.answered?.();
      return answer;
    } catch (error) {
      throw this.#named(error, either);
    } finally {
      this.#metrics.inFlight.set(--this.#inFlight);
      this.#metrics.seconds.observe((clock.monotonic() - startedAt) / 1000, { request: name });
    }
  }

  /** Tries again while nobody answers, as long as the transport thinks that a restart may take. */
  async #answered<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { clock, entropy, transport } = this.#options;
    const deadline = clock.monotonic() + transport.retryForMs;
    for (let attempt = 0; ; attempt++) {
      try {
        signal.throwIfAborted();
        return await send();
      } catch (error) {
        if (signal.aborted || failureOf(error) !== "unreachable" || clock.monotonic() > deadline) throw error;
      }
      this.#metrics.retries.add(1);
      await clock.sleep(fullJitterMs(ENGINE, Math.min(attempt, 3), entropy.random()), signal);
    }
  }

  #named(error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    const { name, error: fault } = faultOf(error);
    this.#metrics.faults.add(1, { fault: name });
    if (fault instanceof TimeSeriesUnavailableError) {
      const at = this.#options.clock.monotonic();
      this.#failing = { detail: fault.message, at, wasAnswered: !isUnanswered(error) };
    }
    return fault;
  }
}

import { type ClickHouseClient, ClickHouseLogLevel, createClient } from "@clickhouse/client";
import type { Surroundings } from "../../ports/surroundings.ts";
import { faultOf } from "./faults.ts";
import type { ClickHouseTransport } from "./transport.ts";

const EVERY_MS = 2_000;
const DEADLINE_MS = 5_000;

/** Asks a server now and then whether it is there, so that its health is known though nobody asks for data. */
export class ServerWatch {
  readonly #surroundings: Surroundings;
  #client: ClickHouseClient | null = null;
  #cancel: () => void = () => undefined;
  #asking: Promise<void> | null = null;
  #fault: string | null = null;
  #answeredAt: number | null = null;
  #isClosed = false;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  start(connection: ClickHouseTransport["connection"]): void {
    this.#client = createClient({
      ...connection,
      request_timeout: DEADLINE_MS,
      max_open_connections: 1,
      log: { level: ClickHouseLogLevel.OFF },
    });
    this.#cancel = this.#surroundings.clock.every(EVERY_MS, () => {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null;
      });
    });
  }

  /** In words; null while it answers. */
  fault(): string | null {
    return this.#fault;
  }
  answeredAt(): number | null {
    return this.#answeredAt;
  }

  /** Whoever had an answer may say so. */
  answered(): void {
    const { clock, telemetry } = this.#surroundings;
    if (this.#fault !== null) telemetry.log.info({}, "time_series_answers_again");
    this.#fault = null;
    this.#answeredAt = clock.monotonic();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancel();
    await this.#client?.close();
    await this.#asking;
  }

  /** Never rejects. */
  async #ask(): Promise<void> {
    const { clock, telemetry } = this.#surroundings;
    const askedAt = clock.monotonic();
    const ping = await this.#client?.ping({ select: true });
    if (ping === undefined || this.#isClosed) return;
    if (ping.success) return this.answered();
    if ((this.#answeredAt ?? -1) > askedAt) return;
    const { name, error } = faultOf(ping.error);
    if (this.#fault === null) telemetry.log.warn({ fault: name, error: error.message }, "time_series_down");
    this.#fault = error.message;
  }
}

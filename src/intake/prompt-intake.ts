import type { AccountId, Labels, SignalId } from "../../schemas/common.ts";
import type { Signals } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Logger } from "../ports/telemetry.ts";
import { AbsentNames } from "./absent-names.ts";
import { BackPressure } from "./back-pressure.ts";
import { BlockWriter } from "./block-writer.ts";
import { DeletionWatch } from "./deletion-watch.ts";
import { introduce } from "./introduce.ts";
import { type IngestMetrics, ingestMetrics } from "./metrics.ts";
import { type Asker, askNames } from "./name-question.ts";
import { PromptAppender } from "./prompt-appender.ts";
import type { IntakeSettings } from "./settings.ts";
import { type AccountSignals, SignalCache } from "./signal-cache.ts";
import { type RejectName, StagedReadings } from "./staged-readings.ts";

const NAMES_PER_CALL = 500;
/** A name whose signal is deleted while it is asked for is asked for again, so often. */
const ASKS_MAX = 3;

export interface PromptIntakeOptions extends Surroundings {
  readonly log: EventLog;
  readonly signals: Signals;
  readonly settings: IntakeSettings;
}

/** Nothing was taken: the log has no room, or cannot be written, or too much waits for it. Send it again later. */
export class IntakeRefusedError extends Error {
  override readonly name = "IntakeRefusedError";
}

/** The way of readings into the log for callers who wait until they are durable. */
export class PromptIntake {
  readonly settings: IntakeSettings;
  readonly metrics: IngestMetrics;
  readonly logger: Logger;
  readonly #options: PromptIntakeOptions;
  readonly #partitions: number;
  readonly #pressure: BackPressure;
  readonly #writer: BlockWriter;
  readonly #cache: SignalCache;
  readonly #appender: PromptAppender;
  readonly #watch: DeletionWatch;

  constructor(options: PromptIntakeOptions) {
    const { log, clock, entropy, telemetry, settings } = options;
    this.#options = options;
    this.settings = settings;
    this.logger = telemetry.log;
    this.metrics = ingestMetrics(telemetry.metrics);
    this.#partitions = log.partitions("readings");
    this.#pressure = new BackPressure(settings.inflightBytesMax);
    this.#writer = new BlockWriter({ partitions: this.#partitions, clock, pressure: this.#pressure });
    this.#cache = new SignalCache(settings.resolvedNamesMax, entropy);
    const shared = { log, clock, entropy, logger: this.logger, metrics: this.metrics };
    this.#appender = new PromptAppender({ ...shared, writer: this.#writer });
    this.#watch = new DeletionWatch({ ...shared, cache: this.#cache });
  }

  /** Bytes that wait for the log. */
  get inflightBytes(): number {
    return this.#pressure.bytes;
  }

  /** Why nothing is taken now, in words; null while readings may come. */
  refusal(): string | null {
    if (!this.#options.log.hasRoom()) return "the log is at its limit (LOG_MAX_BYTES)";
    if (this.#appender.holds) return "the log cannot be written now";
    return this.#pressure.paused ? "readings arrive faster than the log takes them" : null;
  }

  absentNames(): AbsentNames {
    return new AbsentNames(this.#options.clock);
  }

  /** For one request; `reject` is told of readings whose name means no signal. */
  stage(accountId: AccountId, absent: AbsentNames, reject: RejectName): StagedReadings {
    return new StagedReadings(this.#cache.account(accountId), absent, reject);
  }

  /**
   * Resolves the names of a request and sends all its readings on their way: their receipts tell when they are durable.
   * Throws ControlUnavailableError or IntakeRefusedError, and has then written nothing.
   */
  async send(staged: StagedReadings, asker: Asker): Promise<void> {
    for (let ask = 0; ask < ASKS_MAX; ask++) {
      const names = staged.names();
      if (names.size === 0) break;
      const entries = [...names];
      for (let from = 0; from < entries.length; from += NAMES_PER_CALL) {
        await this.#resolve(staged, asker, new Map(entries.slice(from, from + NAMES_PER_CALL)));
      }
    }
    for (const name of staged.names().keys()) staged.unresolved(name);
    const refusal = this.refusal();
    if (refusal !== null) throw new IntakeRefusedError(refusal);
    staged.writeTo(this.#writer);
  }

  /** Whoever still waits for its readings is answered; nothing more may be sent. */
  async stop(): Promise<void> {
    await this.#appender.stop();
    await this.#watch.stop();
  }

  async #resolve(staged: StagedReadings, asker: Asker, names: ReadonlyMap<string, Labels>): Promise<void> {
    const dropped = new Set<SignalId>();
    const forget = this.#cache.onDrop((id) => dropped.add(id));
    try {
      const found = await askNames(this.#options.signals, asker, names);
      const known: AccountSignals = this.#cache.account(asker.accountId);
      const introducer = { partitions: this.#partitions, writer: this.#writer, metrics: this.metrics };
      for (const name of names.keys()) {
        const definition = found.get(name);
        if (definition === undefined) staged.unresolved(name);
        else if (!dropped.has(definition.id))
          staged.resolved(name, introduce(introducer, known, name, definition));
      }
    } finally {
      forget();
    }
  }
}

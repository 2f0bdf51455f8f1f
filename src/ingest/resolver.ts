import type { SignalDefinition } from "../../schemas/change.ts";
import type { Labels, SignalId } from "../../schemas/common.ts";
import type { RejectionReason } from "../../schemas/source.ts";
import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import { changeRecord } from "../domain/records.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import { ControlUnavailableError, type Signals } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import type { BackPressure } from "./back-pressure.ts";
import type { BlockWriter } from "./block-writer.ts";
import type { IngestMetrics } from "./metrics.ts";
import { type Asker, askNames } from "./name-question.ts";
import type { Contributor } from "./open-block.ts";
import { type AccountSignals, type SignalCache, type SignalRef, signalRef } from "./signal-cache.ts";

/** One call asks for no more names than this, so that other work gets its turn between. */
const NAMES_PER_CALL = 500;
/** What a waiting reading is taken to weigh. */
const WAITING_BYTES = 100;
/** A source with more readings waiting for ids is paused alone. */
const WAITING_READINGS_MAX = 50_000;
/** A name that means no signal is asked again after this. */
const ABSENT_MS = 1_000;
const ABSENT_NAMES_MAX = 10_000;

/** What the resolver tells the source whose names it resolves. */
export interface ResolverClient extends Contributor {
  rejectedName(reason: RejectionReason, name: string, payload: string | null): void;
  /** Too many of its readings wait for ids, or no longer. */
  waiting(tooMany: boolean): void;
}

export interface ResolverOptions {
  readonly signals: Signals;
  readonly cache: SignalCache;
  readonly writer: BlockWriter;
  readonly partitions: number;
  readonly pressure: BackPressure;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly metrics: IngestMetrics;
}

interface WaitingReading {
  readonly atMs: number;
  readonly strength: number;
  readonly payload: string | null;
}
interface WaitingName {
  readonly labels: Labels;
  readonly readings: WaitingReading[];
}

/** Finds the signals that a source's names mean. Readings of names still unknown wait here, in their order. */
export class Resolver {
  readonly #options: ResolverOptions;
  readonly #asker: Asker;
  readonly #client: ResolverClient;
  readonly #signals: AccountSignals;
  readonly #waiting = new Map<string, WaitingName>();
  readonly #absent = new Map<string, number>();
  readonly #stop = new AbortController();
  #waitingReadings = 0;
  #asking = false;
  #task: Promise<void> = Promise.resolve();

  constructor(options: ResolverOptions, asker: Asker, client: ResolverClient) {
    this.#options = options;
    this.#asker = asker;
    this.#client = client;
    this.#signals = options.cache.account(asker.accountId);
  }

  /** The signal, if a reading of this name may be written at once. */
  find(name: string): SignalRef | undefined {
    return this.#waiting.size > 0 && this.#waiting.has(name) ? undefined : this.#signals.get(name);
  }

  /** Takes a reading of a name that `find` did not know; `labels` is called for names not yet asked for. */
  wait(name: string, reading: WaitingReading, labels: () => Labels): void {
    const known = this.#waiting.get(name);
    if (known !== undefined) known.readings.push(reading);
    else if (this.#isAbsent(name)) {
      this.#refuse(name, [reading]);
      return;
    } else this.#waiting.set(name, { labels: labels(), readings: [reading] });
    this.#count(1);
    this.#start();
  }

  /** Resolves when nothing waits any more, or after `deadline` aborts: then what waits is abandoned, and counted. */
  async stop(deadline: AbortSignal): Promise<void> {
    const abandon = () => this.#stop.abort(deadline.reason);
    if (deadline.aborted) abandon();
    deadline.addEventListener("abort", abandon);
    await this.#task;
    deadline.removeEventListener("abort", abandon);
    this.#options.metrics.abandoned.add(this.#waitingReadings);
    this.#waiting.clear();
    this.#count(-this.#waitingReadings);
  }

  #start(): void {
    if (this.#asking) return;
    this.#asking = true;
    this.#task = this.#ask();
  }

  async #ask(): Promise<void> {
    // What this turn of the event loop still brings goes into the same call.
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let attempt = 0; this.#waiting.size > 0 && !this.#stop.signal.aborted; ) {
      attempt = (await this.#askOnce()) ? 0 : attempt + 1;
      if (attempt > 0) await this.#pause(attempt);
    }
    this.#asking = false;
  }

  #pause(attempt: number): Promise<void> {
    const { clock, entropy } = this.#options;
    const ms = fullJitterMs(ENGINE, attempt, entropy.random());
    return clock.sleep(ms, this.#stop.signal).catch(() => undefined);
  }

  async #askOnce(): Promise<boolean> {
    const { signals, cache, metrics, logger } = this.#options;
    const dropped = new Set<SignalId>();
    const forget = cache.onDrop((id) => dropped.add(id));
    const names = this.#next();
    try {
      const question = new Map(names.map(([name, { labels }]) => [name, labels]));
      const found = await askNames(signals, this.#asker, question);
      for (const [name, waiting] of names) this.#answer(name, waiting, found.get(name), dropped);
      return true;
    } catch (error) {
      metrics.resolveFailures.add(1);
      const fields = { sourceId: this.#asker.sourceId, error: String(error) };
      if (error instanceof ControlUnavailableError) logger.warn(fields, "control_unavailable");
      else logger.error(fields, "ingest_resolve_fault");
      return false;
    } finally {
      forget();
    }
  }

  #next(): [string, WaitingName][] {
    const names: [string, WaitingName][] = [];
    for (const entry of this.#waiting) {
      names.push(entry);
      if (names.length === NAMES_PER_CALL) break;
    }
    return names;
  }

  #answer(
    name: string,
    waiting: WaitingName,
    definition: SignalDefinition | undefined,
    dropped: ReadonlySet<SignalId>,
  ): void {
    // Deleted while we asked: the answer is older than the deletion, so the name is asked again.
    if (definition !== undefined && dropped.has(definition.id)) return;
    this.#waiting.delete(name);
    if (definition === undefined) {
      this.#absent.set(name, this.#options.clock.now() + ABSENT_MS);
      this.#refuse(name, waiting.readings);
    } else {
      const signal = this.#signals.get(name) ?? this.#introduce(name, definition);
      for (const { atMs, strength } of waiting.readings) {
        this.#options.writer.write(signal, atMs, strength, this.#client);
      }
    }
    this.#count(-waiting.readings.length);
  }

  /** Its whole definition goes to the log ahead of its first line, whoever made it: the evaluator must know it then. */
  #introduce(name: string, definition: SignalDefinition): SignalRef {
    const { partitions, writer, metrics } = this.#options;
    const signal = signalRef(definition.id, partitions);
    writer.change(changeRecord({ type: "signal", signal: definition }, signal.partition));
    metrics.changes.add(1);
    this.#signals.set(name, signal);
    return signal;
  }

  #isAbsent(name: string): boolean {
    const until = this.#absent.get(name);
    if (until === undefined) return false;
    if (until > this.#options.clock.now() && this.#absent.size <= ABSENT_NAMES_MAX) return true;
    if (this.#absent.size > ABSENT_NAMES_MAX) this.#absent.clear();
    this.#absent.delete(name);
    return false;
  }

  #refuse(name: string, readings: readonly WaitingReading[]): void {
    const reason = this.#asker.create ? "signal_limit_reached" : "unknown_signal";
    for (const { payload } of readings) this.#client.rejectedName(reason, name, payload);
  }

  #count(readings: number): void {
    const before = this.#waitingReadings;
    this.#waitingReadings += readings;
    if (readings > 0) this.#options.pressure.take(readings * WAITING_BYTES);
    else this.#options.pressure.give(-readings * WAITING_BYTES);
    const now = this.#waitingReadings;
    if (before <= WAITING_READINGS_MAX && now > WAITING_READINGS_MAX) this.#client.waiting(true);
    if (before > WAITING_READINGS_MAX / 2 && now <= WAITING_READINGS_MAX / 2) this.#client.waiting(false);
  }
}

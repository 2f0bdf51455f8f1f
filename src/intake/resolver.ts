import type { SignalDefinition } from "../../schemas/change.ts";
import type { SignalId } from "../../schemas/common.ts";
import type { RejectionReason } from "../../schemas/source.ts";
import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import { ControlUnavailableError, type Signals } from "../ports/control-store.ts";
import type { Logger } from "../ports/telemetry.ts";
import { AbsentNames } from "./absent-names.ts";
import type { BackPressure } from "./back-pressure.ts";
import type { BlockWriter } from "./block-writer.ts";
import { introduce } from "./introduce.ts";
import type { IngestMetrics } from "./metrics.ts";
import { type Asker, askNames } from "./name-question.ts";
import type { AccountSignals, SignalCache, SignalRef } from "./signal-cache.ts";
import { type NewReading, type Origin, type WaitingReading, WaitingReadings } from "./waiting-readings.ts";

/** One call asks for no more names than this, so that other work gets its turn between. */
const NAMES_PER_CALL = 1_000;

/** What the resolver tells the source whose names it resolves. */
export interface ResolverClient {
  rejectedName(reason: RejectionReason, name: string, reading: WaitingReading): void;
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

/** Finds the signals that a source's names mean. Readings of names still unknown wait here, in their order. */
export class Resolver {
  readonly #options: ResolverOptions;
  readonly #asker: Asker;
  readonly #client: ResolverClient;
  readonly #known: AccountSignals;
  readonly #waiting: WaitingReadings;
  readonly #absent: AbsentNames;
  readonly #stop = new AbortController();
  #asking = false;
  #task: Promise<void> = Promise.resolve();

  constructor(options: ResolverOptions, asker: Asker, client: ResolverClient) {
    this.#options = options;
    this.#asker = asker;
    this.#client = client;
    this.#known = options.cache.account(asker.accountId);
    this.#waiting = new WaitingReadings(options.pressure, (tooMany) => client.waiting(tooMany));
    this.#absent = new AbsentNames(options.clock);
  }

  /** The signal, if a reading of this name may be written at once: not before others of its name that wait. */
  find(name: string): SignalRef | undefined {
    return this.#waiting.has(name) ? undefined : this.#known.get(name);
  }

  findBytes(bytes: Uint8Array, start: number, end: number): SignalRef | undefined {
    return this.#waiting.empty ? this.#known.getBytes(bytes, start, end) : undefined;
  }

  /** Takes a reading of a name that `find` did not know. */
  wait(name: string, reading: NewReading, origin: Origin): void {
    if (this.#absent.has(name)) {
      this.#refuse(name, [{ ...reading, kept: origin.kept() }]);
      return;
    }
    this.#waiting.add(name, reading, origin);
    if (this.#asking) return;
    this.#asking = true;
    this.#task = this.#ask();
  }

  /** Resolves when nothing waits any more, or after `deadline` aborts: then what waits is abandoned, and counted. */
  async stop(deadline: AbortSignal): Promise<void> {
    const abandon = () => this.#stop.abort(deadline.reason);
    if (deadline.aborted) abandon();
    deadline.addEventListener("abort", abandon);
    await this.#task;
    deadline.removeEventListener("abort", abandon);
    this.#options.metrics.abandoned.add(this.#waiting.count);
    this.#waiting.clear();
  }

  async #ask(): Promise<void> {
    const { clock, entropy } = this.#options;
    const { signal } = this.#stop;
    // What this turn of the event loop still brings goes into the same call.
    await new Promise<void>((resolve) => setImmediate(resolve));
    for (let attempt = 0; !this.#waiting.empty && !signal.aborted; ) {
      attempt = (await this.#askOnce()) ? 0 : attempt + 1;
      if (attempt === 0) continue;
      await clock.sleep(fullJitterMs(ENGINE, attempt, entropy.random()), signal).catch(() => undefined);
    }
    this.#asking = false;
  }

  async #askOnce(): Promise<boolean> {
    const { signals, cache } = this.#options;
    const dropped = new Set<SignalId>();
    const forget = cache.onDrop((id) => dropped.add(id));
    const names = this.#waiting.first(NAMES_PER_CALL);
    try {
      const labels = new Map([...names].map(([name, waiting]) => [name, waiting.labels]));
      const found = await askNames(signals, this.#asker, labels);
      for (const name of names.keys()) {
        const definition = found.get(name);
        // Deleted while we asked: the answer is older than the deletion, so the name is asked again.
        if (definition === undefined || !dropped.has(definition.id)) this.#answer(name, definition);
      }
      return true;
    } catch (error) {
      this.#failed(error);
      return false;
    } finally {
      forget();
    }
  }

  #failed(error: unknown): void {
    const { logger, metrics } = this.#options;
    metrics.resolveFailures.add(1);
    const fields = { sourceId: this.#asker.sourceId, error: String(error) };
    if (error instanceof ControlUnavailableError) logger.warn(fields, "control_unavailable");
    else logger.error(fields, "ingest_resolve_fault");
  }

  #answer(name: string, definition: SignalDefinition | undefined): void {
    const readings = this.#waiting.take(name);
    if (definition === undefined) {
      this.#absent.add(name);
      this.#refuse(name, readings);
      return;
    }
    const signal = introduce(this.#options, this.#known, name, definition);
    const { writer } = this.#options;
    for (const { atMs, strength, receipt } of readings) writer.write(signal, atMs, strength, receipt);
  }

  #refuse(name: string, readings: readonly WaitingReading[]): void {
    const reason = this.#asker.create ? "signal_limit_reached" : "unknown_signal";
    for (const reading of readings) {
      this.#client.rejectedName(reason, name, reading);
      reading.receipt.rejected();
    }
  }
}

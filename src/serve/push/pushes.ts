import type { AccountId, SourceId } from "../../../schemas/common.ts";
import type { PushAnswer } from "../../../schemas/source-actions.ts";
import { IntakeRefusedError, type PromptIntake } from "../../intake/prompt-intake.ts";
import { StatusSaver } from "../../intake/status-saver.ts";
import type { Clock } from "../../ports/clock.ts";
import { type ControlStore, ControlUnavailableError, type StoredSource } from "../../ports/control-store.ts";
import { LogFullError, LogUnavailableError } from "../../ports/event-log.ts";
import type { Gauge, Telemetry } from "../../ports/telemetry.ts";
import { ProblemError } from "../problem.ts";
import { PushLane } from "./push-lane.ts";
import type { PushPauses } from "./push-pauses.ts";
import { PushSources } from "./push-sources.ts";

/** Bodies that are being worked on, over all sources. */
const BODIES_BYTES_MAX = 32 * 1024 * 1024;
const LANES_MAX = 10_000;
const IDLE_MS = 60_000;
const ANSWER_TIMEOUT_MS = 20_000;

export interface PushesOptions {
  readonly intake: PromptIntake;
  readonly control: Pick<ControlStore, "sources">;
  readonly pauses: PushPauses;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

const refusalOf = (error: unknown): string | null => {
  if (error instanceof IntakeRefusedError) return error.message;
  if (error instanceof LogFullError) return "the log is at its limit (LOG_MAX_BYTES)";
  if (error instanceof LogUnavailableError) return "the log cannot be written now";
  return error instanceof ControlUnavailableError ? "control data is not available" : null;
};

/** The sources that are pushed to: takes what senders bring, and tells how each of them is. */
export class Pushes {
  readonly #options: PushesOptions;
  readonly #sources: PushSources;
  readonly #saver: StatusSaver;
  readonly #bodiesGauge: Gauge;
  readonly #inflightGauge: Gauge;
  readonly #lanes = new Map<SourceId, PushLane>();
  #leaving: Promise<unknown> = Promise.resolve();
  #bodiesBytes = 0;

  constructor(options: PushesOptions) {
    const { control, clock, telemetry } = options;
    const { sources } = control;
    this.#options = options;
    this.#sources = new PushSources(sources, clock);
    this.#bodiesGauge = telemetry.metrics.gauge("push_bodies_bytes", "Bodies of pushes that are worked on.");
    this.#inflightGauge = telemetry.metrics.gauge(
      "push_inflight_bytes",
      "Bytes of pushes and reports that wait for the log.",
    );
    this.#saver = new StatusSaver({
      sources: {
        saveStatus: (id, status) => sources.addStatus(id, status),
        addRejections: (id, rejections) => sources.addRejections(id, rejections),
      },
      clock,
      logger: telemetry.log,
      tick: () => this.#tick(),
    });
  }

  /** The source, if it is the account's. */
  async find(accountId: AccountId, id: SourceId): Promise<StoredSource | null> {
    const source = await this.#sources.find(id);
    return source?.accountId === accountId ? source : null;
  }

  /** Throws a problem, or what the intake throws: then nothing has been taken. */
  async take(source: StoredSource, body: Buffer, contentType: string | undefined): Promise<PushAnswer> {
    const { type, enabled } = source.settings;
    if (type !== "push")
      throw new ProblemError("conflict", `this is a source of type ${type}: nothing is pushed to it`);
    if (!enabled) throw new ProblemError("conflict", "the source is disabled");
    return this.#within(this.#laneOf(source), body, contentType);
  }

  /** What is said of the source has changed: it is asked for again. */
  forget(id: SourceId): void {
    this.#sources.forget(id);
  }

  /** Readings that came of kept rejections. */
  recovered(source: StoredSource, readings: number): void {
    if (source.settings.type === "push") this.#laneOf(source).ledger.recovered(readings);
  }

  async stop(): Promise<void> {
    await this.#leaving;
    await this.#saver.stop();
  }

  async #within(lane: PushLane, body: Buffer, contentType: string | undefined): Promise<PushAnswer> {
    const { intake, clock, pauses } = this.#options;
    const cancelled = Promise.withResolvers<never>();
    const cancel = clock.after(ANSWER_TIMEOUT_MS, () =>
      cancelled.reject(new LogUnavailableError("no answer: the readings may be stored, or not")),
    );
    this.#bodiesBytes += body.length;
    try {
      const refusal =
        this.#bodiesBytes > BODIES_BYTES_MAX ? "too many pushes come at once" : intake.refusal();
      if (refusal !== null) throw new IntakeRefusedError(refusal);
      const answer = await Promise.race([lane.take(body, contentType), cancelled.promise]);
      pauses.flows(lane.id);
      return answer;
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal !== null) {
        lane.ledger.refused(refusal);
        pauses.refused(lane.id);
      }
      throw error;
    } finally {
      cancel();
      this.#bodiesBytes -= body.length;
    }
  }

  #laneOf(source: StoredSource): PushLane {
    const { intake, clock } = this.#options;
    const found = this.#lanes.get(source.id);
    if (found !== undefined) {
      found.follow(source);
      return found;
    }
    if (this.#lanes.size >= LANES_MAX) throw new IntakeRefusedError("too many sources are pushed to at once");
    const lane = new PushLane(intake, clock, source);
    this.#lanes.set(source.id, lane);
    this.#saver.watch(source.id, lane);
    return lane;
  }

  #tick(): void {
    const { intake, clock, pauses } = this.#options;
    this.#bodiesGauge.set(this.#bodiesBytes);
    this.#inflightGauge.set(intake.inflightBytes);
    pauses.look(intake.refusal());
    const now = clock.monotonic();
    for (const lane of this.#lanes.values()) {
      if (now - lane.lastUsedMs < IDLE_MS) continue;
      this.#lanes.delete(lane.id);
      this.#leaving = Promise.all([this.#leaving, this.#saver.forget(lane.id)]);
    }
  }
}

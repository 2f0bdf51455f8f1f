import type { ControlStore } from "../ports/control-store.ts";
import { type EventLog, GROUPS, type GroupMember } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Health, RunningWorker } from "../ports/worker.ts";
import { ClockWatch } from "./clock-watch.ts";
import type { EvaluateContext } from "./context.ts";
import { DeadLetterLimit } from "./dead-letters.ts";
import { LivePublisher } from "./live-publisher.ts";
import { evaluateMetrics } from "./metrics.ts";
import { PartitionWorker } from "./partition-worker.ts";
import { EVALUATE_DEFAULTS, type EvaluateSettings } from "./settings.ts";

export interface EvaluateOptions extends Surroundings {
  readonly log: EventLog;
  readonly control: Pick<ControlStore, "snapshots">;
  /** Instead of EVALUATE_DEFAULTS. */
  readonly settings: Partial<EvaluateSettings>;
}

/** A batch is folded in one turn of the event loop: about a millisecond for every 5,000 readings. */
const BATCH_BYTES = 512 * 1024;
const CHORES_EVERY_MS = 200;

/** Evaluates the partitions of topic `readings` that the log gives it: see DESIGN.md, "Why it is shaped like this". */
export const startEvaluate = async (options: EvaluateOptions): Promise<RunningWorker> => {
  const context: EvaluateContext = {
    ...options,
    logger: options.telemetry.log.child({ worker: "evaluate" }),
    metrics: evaluateMetrics(options.telemetry.metrics),
    settings: { ...EVALUATE_DEFAULTS, ...options.settings },
  };
  const worker = new EvaluateWorker(context);
  await worker.start();
  return worker;
};

class EvaluateWorker implements RunningWorker {
  readonly name = "evaluate";
  readonly #context: EvaluateContext;
  readonly #live: LivePublisher;
  readonly #deadLetterLimit: DeadLetterLimit;
  readonly #clockWatch: ClockWatch;
  readonly #partitions = new Map<number, PartitionWorker>();
  #member: GroupMember | null = null;
  #timers: (() => void)[] = [];
  #stopping: Promise<void> | null = null;

  constructor(context: EvaluateContext) {
    this.#context = context;
    this.#live = new LivePublisher(context);
    this.#deadLetterLimit = new DeadLetterLimit(context);
    this.#clockWatch = new ClockWatch(context);
  }

  async start(): Promise<void> {
    const { log, clock, settings } = this.#context;
    this.#member = await log.consume({
      group: GROUPS.evaluate,
      topic: "readings",
      batchBytes: BATCH_BYTES,
      assigned: async (assignment) => {
        const partition = await PartitionWorker.open(this.#parts(), assignment);
        this.#partitions.set(partition.partition, partition);
        return partition;
      },
    });
    this.#timers = [
      clock.every(settings.liveEveryMs, () => this.#tellLive()),
      clock.every(CHORES_EVERY_MS, () => this.#chores()),
    ];
  }

  health(): Health[] {
    const trouble = this.#member?.trouble() ?? this.#clockWatch.trouble();
    return [{ name: "evaluate", state: trouble === null ? "ok" : "degraded", detail: trouble }];
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    for (const cancel of this.#timers.splice(0)) cancel();
    await this.#member?.stop();
    await this.#live.idle();
  }

  #parts() {
    return {
      context: this.#context,
      live: this.#live,
      deadLetterLimit: this.#deadLetterLimit,
      stopping: () => this.#stopping !== null,
      left: ({ partition }: PartitionWorker) => this.#partitions.delete(partition),
    };
  }

  /** The newest values of what changed, shared fairly among the partitions. */
  #tellLive(): void {
    if (!this.#live.ready || this.#partitions.size === 0) return;
    const share = Math.ceil(this.#context.settings.liveUpdatesMax / this.#partitions.size);
    this.#live.update([...this.#partitions.values()].flatMap((partition) => partition.takeLive(share) ?? []));
  }

  #chores(): void {
    for (const partition of this.#partitions.values()) partition.tickIfIdle();
    this.#clockWatch.look(this.#partitions.values());
    this.#snapshotOne();
    this.#showGauges();
  }

  #showGauges(): void {
    const { metrics } = this.#context;
    const labels = (partition: number) => ({ partition: String(partition) });
    for (const name of ["signals", "eventsQueued", "liveQueued"] as const)
      metrics[name].replace(
        [...this.#partitions].map(([partition, { gauges }]) => [gauges[name], labels(partition)]),
      );
    metrics.lag.replace(
      [...(this.#member?.lag() ?? [])].map(([partition, behind]) => [behind, labels(partition)]),
    );
  }

  /** One snapshot at a time: they share the disk and the event loop. */
  #snapshotOne(): void {
    for (const partition of this.#partitions.values()) if (partition.snapshotIfDue() !== null) return;
  }
}

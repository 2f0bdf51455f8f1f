import type { WebhookId } from "../../schemas/common.ts";
import { ulid } from "../domain/ids.ts";
import { stateOf } from "../domain/webhooks/circuit.ts";
import type { WebhookSender } from "../outgoing/sending.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { EventLog } from "../ports/event-log.ts";
import type { Surroundings } from "../ports/surroundings.ts";
import type { Lane, NewDelivery } from "../ports/webhooks.ts";
import { LaneKeeper } from "./lane-keeper.ts";
import { LaneRunner } from "./lane-runner.ts";
import type { DeliverMetrics } from "./metrics.ts";
import { dueOf } from "./new-deliveries.ts";
import { Notices } from "./notices.ts";
import { ProgressSaver } from "./progress-saver.ts";
import type { Retrying } from "./retrying.ts";
import type { WebhookBook } from "./webhook-book.ts";

const LOOK_EVERY_MS = 250;
/** What is under way when the worker stops may end within this; the rest is sent again by whoever comes next. */
const DRAIN_MS = 3_000;

export interface DispatcherOptions extends Surroundings {
  readonly control: Pick<ControlStore, "webhooks" | "deliveries" | "lanes">;
  readonly log: Pick<EventLog, "append">;
  readonly sender: WebhookSender;
  readonly book: WebhookBook;
  readonly metrics: DeliverMetrics;
  readonly retrying: Retrying;
  /** Under which lanes are held; unless given, one that nobody else has. */
  readonly owner?: string;
  /** Whether this process is the one that makes deliveries, so that it offers them to its lanes itself. */
  readonly isFed: () => boolean;
}

/** Sends deliveries by the lanes that this process holds. */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #keeper: LaneKeeper;
  readonly #saver: ProgressSaver;
  readonly #notices: Notices;
  /** The version of the book that lanes are held by. */
  #noticed: number | null = null;
  #cancel: () => void = () => undefined;
  #looking: Promise<void> | null = null;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const { control, log, clock, entropy, metrics, retrying } = options;
    this.#notices = new Notices({
      log,
      webhooks: control.webhooks,
      retrying,
      failed: (error) => this.#failed(error),
    });
    this.#saver = new ProgressSaver({
      lanes: control.lanes,
      clock,
      retrying,
      lost: (lane) => this.#lost(lane),
      disabled: (lane, reason) => this.#disabled(lane, reason),
      failed: (error) => this.#failed(error),
    });
    this.#keeper = new LaneKeeper({
      owner: options.owner ?? ulid(clock.now(), entropy.bytes(10)),
      lanes: control.lanes,
      clock,
      open: (lane) => this.#open(lane),
      failed: (error) => this.#failed(error),
    });
    metrics.lanes.replace([]);
  }

  start(): void {
    this.#keeper.start();
    this.#cancel = this.#options.clock.every(LOOK_EVERY_MS, () => this.#look());
  }

  /** From now on deliveries are offered: what was made before and not seen yet is looked for once. */
  fed(): void {
    this.#notices.tell();
    for (const lane of this.#keeper.all) lane.checkFirst();
  }

  /** Deliveries that have become durable, in the order of events; of these `added` are new. */
  made(deliveries: readonly NewDelivery[], added: ReadonlySet<string>): void {
    for (const delivery of deliveries) {
      const lane = this.#keeper.get(delivery.webhookId);
      const due = dueOf(delivery);
      if (added.has(due.id)) lane?.offer(due);
      // Somebody else made it: whether it still waits only control data knows.
      else lane?.checkFirst(due.position);
    }
  }

  /** There may be deliveries that nobody offered, of events that were long ago, from this position on. */
  late(id: WebhookId, position: number): void {
    this.#keeper.get(id)?.checkFirst(position);
  }

  /** Webhooks may be other ones than at the last call: lanes to take, to drop, to look at. */
  changed(): void {
    const { version } = this.#options.book;
    if (version === this.#noticed) return;
    this.#noticed = version;
    // One process tells, also of what others did.
    if (this.#options.isFed()) this.#notices.tell();
    for (const lane of [...this.#keeper.all]) {
      if (this.#options.book.get(lane.lane.webhookId) === undefined) this.#keeper.drop(lane);
      else lane.check();
    }
    this.#keeper.look();
  }

  async stop(): Promise<void> {
    const { clock } = this.#options;
    this.#cancel();
    await this.#looking;
    await this.#keeper.stop();
    const deadline = new AbortController();
    const cancel = clock.after(DRAIN_MS, () => deadline.abort(new Error("the drain took too long")));
    const gaveUp = new Promise<void>((resolve) => {
      deadline.signal.addEventListener("abort", () => resolve());
    });
    const drained = Promise.all([...this.#keeper.all].map((lane) => lane.drain()));
    await Promise.race([drained, gaveUp]);
    for (const lane of this.#keeper.all) lane.abort();
    await this.#saver.flush(deadline.signal);
    cancel();
    await this.#keeper.release().catch((error: unknown) => this.#failed(error));
    await this.#notices.stop();
  }

  #open(lane: Lane): LaneRunner {
    const { control, sender, book, clock, entropy, metrics, retrying } = this.#options;
    return new LaneRunner(
      {
        sender,
        deliveries: control.deliveries,
        clock,
        entropy,
        metrics,
        retrying,
        webhook: (id) => book.get(id),
        isHeld: (held) => this.#keeper.isHeld(held),
        save: (runner, judged) => {
          metrics.attemptSeconds.observe(judged.made.durationMs / 1000);
          this.#saver.add(runner, judged);
        },
        hasRoom: (runner) => this.#saver.hasRoom(runner),
        failed: (error) => this.#failed(error),
      },
      lane,
    );
  }

  /** Changes made elsewhere, and deliveries made by another process for lanes that are held here. */
  #look(): void {
    this.#tell();
    this.#looking ??= this.#lookOnce()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#looking = null;
      });
  }

  async #lookOnce(): Promise<void> {
    const { book, control } = this.#options;
    await book.refresh(control);
    this.changed();
    if (this.#options.isFed()) return;
    for (const [id, position] of await control.deliveries.waiting())
      this.#keeper.get(id)?.checkWaiting(position);
  }

  #lost(lane: LaneRunner): void {
    if (lane.isStopped) return;
    this.#options.metrics.lostLanes.add(1);
    this.#keeper.drop(lane);
  }

  #disabled(lane: LaneRunner, reason: string): void {
    const { metrics, telemetry } = this.#options;
    metrics.disabled.add(1);
    telemetry.log.warn({ webhookId: lane.lane.webhookId, reason }, "webhook_disabled");
    this.#keeper.drop(lane);
  }

  /** An engine that is away is told by its own name; what nobody thought of by this one. */
  #failed(error: unknown): void {
    this.#options.metrics.failures.add(1);
    this.#options.telemetry.log.error({ err: error }, "deliver_failed");
  }

  #tell(): void {
    const now = this.#options.clock.now();
    const lanes = [...this.#keeper.all];
    const byCircuit = Map.groupBy(lanes, ({ circuit }) => stateOf(circuit, now));
    const { metrics, sender } = this.#options;
    const { open, idle, waiting } = sender.counts();
    metrics.connections.set(open - idle, { state: "in use" });
    metrics.connections.set(idle, { state: "idle" });
    metrics.waiting.set(waiting);
    metrics.lanes.replace([...byCircuit].map(([circuit, some]) => [some.length, { circuit }]));
    metrics.queued.set(lanes.reduce((sum, { queued }) => sum + queued, 0));
  }
}

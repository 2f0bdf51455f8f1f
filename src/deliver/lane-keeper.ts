import type { WebhookId } from "../../schemas/common.ts";
import type { Clock } from "../ports/clock.ts";
import type { Lane, Lanes } from "../ports/webhooks.ts";
import type { LaneRunner } from "./lane-runner.ts";

/** A worker that dies lets others go on after this; one that stands still loses its lanes. */
const LEASE_MS = 15_000;
const RENEW_EVERY_MS = 4_000;
/** Before the lease ends by anybody's clock, nothing more is sent under it. */
const MARGIN_MS = 3_000;
const TAKE_EVERY_MS = 1_000;
/** What is under way in a lane that is given away may end within this; the leases of the others must not wait for it. */
const GIVE_AWAY_MS = 3_000;

export interface KeeperOptions {
  /** What another process of this name held is free: it is dead. */
  readonly owner: string;
  readonly lanes: Pick<Lanes, "take" | "renew" | "release" | "census">;
  readonly clock: Clock;
  readonly open: (lane: Lane) => LaneRunner;
  readonly failed: (error: unknown) => void;
}

/** Holds this worker's share of the lanes: takes those that nobody has, and prolongs its own. */
export class LaneKeeper {
  readonly #options: KeeperOptions;
  readonly #held = new Map<WebhookId, LaneRunner>();
  /** Until when the leases hold, by the monotonic clock. */
  #heldUntilMs = 0;
  #renewedAtMs = 0;
  #turn: Promise<void> | null = null;
  #again = false;
  #hasBegun = false;
  #isStopped = false;
  #cancel: () => void = () => undefined;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  start(): void {
    this.#cancel = this.#options.clock.every(TAKE_EVERY_MS, () => this.look());
    this.look();
  }

  get all(): Iterable<LaneRunner> {
    return this.#held.values();
  }
  get(id: WebhookId): LaneRunner | undefined {
    return this.#held.get(id);
  }

  isHeld({ webhookId, fence }: Lane): boolean {
    if (this.#options.clock.monotonic() >= this.#heldUntilMs - MARGIN_MS) return false;
    return this.#held.get(webhookId)?.lane.fence === fence;
  }

  /** Another holds it, or nobody may. */
  drop(runner: LaneRunner): void {
    runner.abort();
    const { webhookId } = runner.lane;
    if (this.#held.get(webhookId) === runner) this.#held.delete(webhookId);
  }

  /** Looks for lanes to take now, once at a time. */
  look(): void {
    if (this.#isStopped) return;
    if (this.#turn !== null) {
      this.#again = true;
      return;
    }
    this.#again = false;
    this.#turn = this.#keep()
      .catch((error: unknown) => this.#options.failed(error))
      .finally(() => {
        this.#turn = null;
        if (this.#again) this.look();
      });
  }

  /** Takes no more; lanes are let go of by `release`. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    await this.#turn;
  }

  async release(): Promise<void> {
    for (const runner of this.#held.values()) runner.abort();
    this.#held.clear();
    await this.#options.lanes.release(this.#options.owner);
  }

  async #keep(): Promise<void> {
    const { clock, lanes, owner } = this.#options;
    if (!this.#hasBegun) await lanes.release(owner);
    this.#hasBegun = true;
    const startedAt = clock.monotonic();
    if (this.#held.size > 0 && startedAt - this.#renewedAtMs >= RENEW_EVERY_MS) await this.#renew(startedAt);
    const { lanes: all, others } = await lanes.census(owner);
    const share = Math.ceil(all / (others + 1));
    if (this.#held.size > share) return this.#giveAway(this.#held.size - share);
    if (this.#held.size === share) return;
    const taken = await lanes.take(owner, share - this.#held.size, LEASE_MS);
    if (this.#held.size === 0) this.#extend(startedAt);
    for (const lane of taken) {
      const before = this.#held.get(lane.webhookId);
      if (before !== undefined) this.drop(before);
      const runner = this.#options.open(lane);
      this.#held.set(lane.webhookId, runner);
      runner.pump();
    }
  }

  async #renew(startedAt: number): Promise<void> {
    const { lanes, owner } = this.#options;
    const kept = await lanes.renew(owner, LEASE_MS);
    this.#extend(startedAt);
    for (const runner of [...this.#held.values()])
      if (kept.get(runner.lane.webhookId) !== runner.lane.fence) this.drop(runner);
    // Taken though the answer was lost, or dropped in error: free again, or nobody would ever send there.
    await lanes.release(
      owner,
      [...kept.keys()].filter((id) => !this.#held.has(id)),
    );
  }

  #extend(startedAt: number): void {
    this.#renewedAtMs = startedAt;
    this.#heldUntilMs = startedAt + LEASE_MS;
    for (const runner of this.#held.values()) runner.pump();
  }

  /** What is under way there ends first, else the next holder would send it beside; what hangs is broken off. */
  async #giveAway(count: number): Promise<void> {
    const given = [...this.#held.values()].slice(0, count);
    const ended = new AbortController();
    const drained = Promise.all(given.map((runner) => runner.drain())).finally(() => ended.abort());
    await Promise.race([
      drained,
      this.#options.clock.sleep(GIVE_AWAY_MS, ended.signal).catch(() => undefined),
    ]);
    for (const runner of given) this.drop(runner);
    const ids = given.map(({ lane }) => lane.webhookId);
    await this.#options.lanes.release(this.#options.owner, ids);
  }
}

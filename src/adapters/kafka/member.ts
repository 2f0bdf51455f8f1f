import { setImmediate as endOfTurn } from "node:timers/promises";
import type { Batch } from "kafkajs";
import { ENGINE, fullJitterMs } from "../../domain/backoff.ts";
import type { ConsumeOptions, GroupMember } from "../../ports/event-log.ts";
import { troubleOf } from "../event-log/held-partition.ts";
import { settledWithin } from "./deadline.ts";
import { Lease } from "./lease.ts";
import { Membership } from "./membership.ts";
import type { LogParts } from "./parts.ts";
import { Tenure, type TenureParts } from "./tenure.ts";

/** For how long the group waits for partitions to be let go of. */
const LET_GO_MAX_MS = 3_000;
/** A membership that lasted so long begins again with the shortest back-off. */
const HEALTHY_AFTER_MS = 30_000;
/** Records that wait for consumers, of all partitions of a member. */
const FEEDS_BYTES = 32 * 2 ** 20;
const FEED_BYTES_MIN = 2 ** 20;
const FEED_BYTES_MAX = 8 * 2 ** 20;

/** A member of a group of Kafka's, which begins a new life in the group whenever kafkajs gives up. */
export class KafkaMember implements GroupMember {
  readonly #parts: LogParts;
  readonly #options: ConsumeOptions;
  readonly #stopping = new AbortController();
  readonly #lease: Lease;
  readonly #held = new Map<number, Tenure>();
  /** Those being let go of: nobody else gets their partitions meanwhile. */
  readonly #leaving = new Map<number, Tenure>();
  readonly #ended: Promise<void>;
  #memberId = "";
  #failure: string | null = null;
  #look: ReturnType<TenureParts["look"]> | null = null;

  constructor(parts: LogParts, options: ConsumeOptions, left: () => void) {
    this.#parts = parts;
    this.#options = options;
    this.#lease = new Lease(parts.clock);
    this.#ended = this.#run().finally(left);
  }

  trouble(): string | null {
    return this.#failure ?? troubleOf([...this.#held.values()].map(({ held }) => held));
  }

  lag(): ReadonlyMap<number, number> {
    return new Map([...this.#held].map(([partition, tenure]) => [partition, tenure.lag]));
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the group member stops"));
    for (const tenure of this.#held.values()) tenure.end();
    await this.#ended;
  }

  async #run(): Promise<void> {
    // Not within `consume`: its caller holds the member before the first call comes.
    await endOfTurn();
    const { clock, entropy } = this.#parts;
    const { signal } = this.#stopping;
    for (let attempt = 0; !signal.aborted; attempt++) {
      const bornAtMs = clock.monotonic();
      const failure = await this.#live(signal);
      if (failure === null) return;
      this.#tell(failure);
      if (clock.monotonic() - bornAtMs >= HEALTHY_AFTER_MS) attempt = 0;
      const waitMs = fullJitterMs(ENGINE, attempt, entropy.random());
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  /** One life in the group; gives what ended it, null for `stop`. */
  async #live(signal: AbortSignal): Promise<Error | null> {
    const { clock, access, names, entropy, telemetry } = this.#parts;
    const membership: Membership = new Membership({
      clock,
      entropy,
      telemetry,
      access,
      groupId: names.group(this.#options.group),
      topic: names.of(this.#options.topic),
      countPartitions: (topic) => names.countOf(topic),
      joining: () => this.#joining(),
      claim: () => ({ memberId: this.#memberId, owned: [...this.#held.keys(), ...this.#leaving.keys()] }),
      joined: (memberId, partitions) => this.#joined(membership, memberId, partitions),
      heard: () => this.#lease.renew(),
      batch: (batch, stale) => this.#batch(batch, stale),
    });
    const failure = await membership.live(signal);
    const over = this.#letGo([...this.#held.values()]);
    // Who stops waits for the batches that are running; who failed is not heard by the group in any case.
    if (failure === null) await over;
    else await settledWithin(clock, LET_GO_MAX_MS, [over]);
    await membership.leave();
    return failure;
  }

  /** A member that was silent for too long has lost everything, whatever it is told next. */
  async #joining(): Promise<void> {
    if (!this.#lease.expired) return;
    await settledWithin(this.#parts.clock, LET_GO_MAX_MS, [this.#letGo([...this.#held.values()])]);
  }

  #joined(membership: Membership, memberId: string, partitions: readonly number[]): void {
    this.#failure = null;
    // Under a new id nothing is left of what the old one had: others may have had it in between.
    const stays = memberId === this.#memberId;
    this.#memberId = memberId;
    const gone = [...this.#held.values()].filter(
      (tenure) => !stays || !partitions.includes(tenure.partition),
    );
    const over = this.#letGo(gone);
    for (const tenure of this.#held.values()) tenure.goOn();
    for (const partition of partitions) if (!this.#held.has(partition)) this.#begin(membership, partition);
    if (stays && gone.length > 0) void this.#giveAway(membership, over);
  }

  /** Once they are let go of, the group can give them to those that are to have them. */
  async #giveAway(membership: Membership, over: Promise<void>): Promise<void> {
    await settledWithin(this.#parts.clock, LET_GO_MAX_MS, [over]);
    membership.rejoin();
  }

  #begin(membership: Membership, partition: number): void {
    if (this.#stopping.signal.aborted) return;
    membership.pause(partition);
    const before = this.#leaving.get(partition)?.done ?? Promise.resolve();
    const parts: TenureParts = {
      log: this.#parts,
      options: this.#options,
      membership,
      lease: this.#lease,
      look: () => this.#lookOnce(),
      feedLimitBytes: () => this.#feedLimitBytes(),
      fed: () => this.#tellFeeds(),
    };
    this.#held.set(partition, new Tenure(parts, partition, before));
  }

  /** Resolves when they are let go of. */
  async #letGo(tenures: readonly Tenure[]): Promise<void> {
    for (const tenure of tenures) {
      const { partition } = tenure;
      tenure.end();
      this.#held.delete(partition);
      this.#leaving.set(partition, tenure);
      void tenure.done.finally(() => {
        if (this.#leaving.get(partition) === tenure) this.#leaving.delete(partition);
      });
    }
    await Promise.all([...this.#leaving.values()].map(({ done }) => done));
  }

  async #batch(batch: Batch, stale: boolean): Promise<void> {
    if (!stale) await this.#held.get(batch.partition)?.receive(batch);
  }

  /** Partitions that are assigned at once are asked about at once. */
  #lookOnce(): ReturnType<TenureParts["look"]> {
    const { offsets } = this.#parts;
    const { group, topic } = this.#options;
    this.#look ??= Promise.all([offsets.committed(group, topic), offsets.bounds(topic)])
      .then(([committed, bounds]) => ({ committed, bounds }))
      .finally(() => {
        this.#look = null;
      });
    return this.#look;
  }

  #feedLimitBytes(): number {
    return Math.min(FEED_BYTES_MAX, Math.max(FEED_BYTES_MIN, FEEDS_BYTES / Math.max(1, this.#held.size)));
  }

  #tellFeeds(): void {
    const { group, topic } = this.#options;
    let bytes = 0;
    for (const tenure of this.#held.values()) bytes += tenure.waitingBytes;
    this.#parts.metrics.feedBytes.set(bytes, { group, topic });
  }

  #tell(failure: Error): void {
    const { group, topic } = this.#options;
    this.#parts.metrics.groupFailures.add(1, { group, topic });
    const told = `group ${group} cannot read topic ${topic} now and tries again: ${failure.message}`;
    // Once for each cause: it is tried again and again.
    if (told !== this.#failure)
      this.#parts.telemetry.log.error({ group, topic, reason: failure.message }, "log_group_failed");
    this.#failure = told;
  }
}

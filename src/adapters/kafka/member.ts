import { setImmediate as endOfTurn } from "node:timers/promises";
import { ENGINE, fullJitterMs } from "../../domain/backoff.ts";
import { type ConsumeOptions, type GroupMember, LET_GO_MAX_MS } from "../../ports/event-log.ts";
import { settledWithin } from "./deadline.ts";
import { isSoonWell } from "./failures.ts";
import { Lease } from "./lease.ts";
import { Membership } from "./membership.ts";
import type { LogParts } from "./parts.ts";
import { Tenure, type TenureParts } from "./tenure.ts";
import { Tenures } from "./tenures.ts";

/** A membership that lasted so long begins again with the shortest back-off. */
const HEALTHY_AFTER_MS = 30_000;
/** A coordinator that is just starting is no failure to tell of before so many tries. */
const SOON_ATTEMPTS = 5;
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
  readonly #tenures: Tenures;
  readonly #ended: Promise<void>;
  #membership: Membership | null = null;
  #memberId = "";
  #failure: string | null = null;
  #look: ReturnType<TenureParts["look"]> | null = null;

  constructor(parts: LogParts, options: ConsumeOptions, left: () => void) {
    this.#parts = parts;
    this.#options = options;
    this.#lease = new Lease(parts.clock);
    this.#tenures = new Tenures(parts.clock, () => this.#freed());
    this.#ended = this.#run().finally(left);
  }

  trouble(): string | null {
    return this.#failure ?? this.#tenures.trouble;
  }

  lag(): ReadonlyMap<number, number> {
    return this.#tenures.lag;
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("the group member stops"));
    void this.#tenures.keep([]);
    await this.#ended;
  }

  async #run(): Promise<void> {
    // Not within `consume`: its caller holds the member before the first call comes.
    await endOfTurn();
    this.#tellShare();
    const { clock, entropy } = this.#parts;
    const { signal } = this.#stopping;
    for (let attempt = 0; !signal.aborted; attempt++) {
      const bornAtMs = clock.monotonic();
      const failure = await this.#live(signal);
      if (failure === null) return;
      if (!isSoonWell(failure) || attempt >= SOON_ATTEMPTS) this.#tell(failure);
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
      claim: () => ({ memberId: this.#memberId, owned: this.#tenures.owned }),
      joined: (memberId, partitions) => this.#joined(membership, memberId, partitions),
      heard: (askedAtMs) => this.#lease.renew(askedAtMs),
      outOfRange: (partition) => this.#tenures.outOfRange(partition),
      batch: async (batch, stale) => {
        if (!stale) await this.#tenures.receive(batch);
      },
    });
    this.#membership = membership;
    const failure = await membership.live(signal);
    this.#membership = null;
    const over = this.#tenures.keep([]);
    // Who stops waits for the batches that are running; who failed is not heard by the group in any case.
    if (failure === null) await over;
    else await settledWithin(clock, LET_GO_MAX_MS, [over]);
    await membership.leave();
    return failure;
  }

  /** A member that was silent for too long has lost everything, whatever it is told next. */
  async #joining(): Promise<void> {
    if (!this.#lease.expired) return;
    await settledWithin(this.#parts.clock, LET_GO_MAX_MS, [this.#tenures.keep([])]);
  }

  #joined(membership: Membership, memberId: string, partitions: readonly number[]): void {
    this.#failure = null;
    // Under a new id nothing is left of what the old one had: others may have had it in between.
    if (memberId !== this.#memberId) this.#tenures.lose();
    this.#memberId = memberId;
    void this.#tenures.keep(partitions);
    this.#tenures.goOn();
    if (!this.#stopping.signal.aborted)
      this.#tenures.hold(partitions, (partition, before) => this.#begin(membership, partition, before));
    this.#tellShare();
  }

  /** However long it took: what was let go of is nobody's until the group shares anew. */
  #freed(): void {
    if (!this.#stopping.signal.aborted) this.#membership?.rejoin();
  }

  #begin(membership: Membership, partition: number, before: Promise<void>): Tenure {
    membership.pause(partition);
    const parts: TenureParts = {
      log: this.#parts,
      options: this.#options,
      membership,
      lease: this.#lease,
      look: () => this.#lookOnce(),
      feedLimitBytes: () => this.#feedLimitBytes(),
      fed: () => this.#tellFeeds(),
      turned: () => this.#tellShare(),
    };
    return new Tenure(parts, partition, before);
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
    return Math.min(FEED_BYTES_MAX, Math.max(FEED_BYTES_MIN, FEEDS_BYTES / Math.max(1, this.#tenures.size)));
  }

  #tellFeeds(): void {
    const { group, topic } = this.#options;
    this.#parts.metrics.feedBytes.set(this.#tenures.waitingBytes, { group, topic });
  }

  #tellShare(): void {
    const { metrics, names } = this.#parts;
    const { group, topic } = this.#options;
    metrics.groupPartitions.set(names.count(topic), { group, topic });
    metrics.groupPartitionsRead.set(this.#tenures.read, { group, topic });
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

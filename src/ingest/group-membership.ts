import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import type { Clock, Entropy } from "../ports/clock.ts";
import {
  type Assignment,
  type EventLog,
  GROUPS,
  type GroupMember,
  type PartitionConsumer,
} from "../ports/event-log.ts";
import type { Logger } from "../ports/telemetry.ts";

export interface GroupMembershipOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly logger: Logger;
  readonly assigned: (assignment: Assignment) => PartitionConsumer;
}

/** Membership in group `ingest` of topic `sources`, taken up again when it was lost. */
export class GroupMembership {
  readonly #options: GroupMembershipOptions;
  readonly #stop = new AbortController();
  #member: GroupMember | null;
  readonly #task: Promise<void>;

  private constructor(options: GroupMembershipOptions, member: GroupMember) {
    this.#options = options;
    this.#member = member;
    this.#task = this.#keep();
  }

  /** Rejects when the first joining fails. */
  static async join(options: GroupMembershipOptions): Promise<GroupMembership> {
    return new GroupMembership(options, await GroupMembership.#consume(options));
  }

  static #consume({ log, assigned }: GroupMembershipOptions): Promise<GroupMember> {
    return log.consume({
      group: GROUPS.ingest,
      topic: "sources",
      assigned: async (assignment) => assigned(assignment),
    });
  }

  /** False while sources are assigned to nobody here because the membership was lost. */
  get joined(): boolean {
    return this.#member !== null;
  }

  /** Leaves; what was assigned is revoked first. */
  async leave(): Promise<void> {
    this.#stop.abort();
    await this.#member?.stop();
    await this.#task;
  }

  async #keep(): Promise<void> {
    const { clock, entropy, logger } = this.#options;
    for (let attempt = 0; !this.#stop.signal.aborted; attempt++) {
      try {
        if (this.#member === null) this.#member = await GroupMembership.#consume(this.#options);
        attempt = 0;
        await this.#member.done;
      } catch (error) {
        logger.error({ error: String(error) }, "ingest_group_lost");
      }
      if (this.#stop.signal.aborted) return;
      this.#member = null;
      const ms = fullJitterMs(ENGINE, attempt, entropy.random());
      await clock.sleep(ms, this.#stop.signal).catch(() => undefined);
    }
  }
}

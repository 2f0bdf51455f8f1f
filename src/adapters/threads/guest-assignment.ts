import type { LogRecord } from "../../domain/log-record.ts";
import type { Assignment, ConsumeOptions, PartitionConsumer, Topic } from "../../ports/event-log.ts";
import { LetGoError } from "./failures.ts";
import type { AssignedPlace } from "./log-calls.ts";

/** A partition that a guest was given. */
export class GuestAssignment implements Assignment {
  /** Whose it is. */
  readonly member: number;
  readonly topic: Topic;
  readonly partition: number;
  readonly committed: number | null;
  readonly earliest: number;
  readonly end: number;
  readonly commit: Assignment["commit"];
  readonly fail: Assignment["fail"];
  readonly #ended = new AbortController();
  #consumer: PartitionConsumer | null = null;

  constructor(member: number, place: AssignedPlace, { commit, fail }: Pick<Assignment, "commit" | "fail">) {
    this.member = member;
    this.topic = place.topic;
    this.partition = place.partition;
    this.committed = place.committed;
    this.earliest = place.earliest;
    this.end = place.end;
    this.commit = commit;
    this.fail = fail;
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }
  /** Null until the member has taken it on. */
  get consumer(): PartitionConsumer | null {
    return this.#consumer;
  }

  isHeld(): boolean {
    return !this.#ended.signal.aborted;
  }

  async begin(assigned: ConsumeOptions["assigned"]): Promise<number> {
    this.#consumer = await assigned(this);
    return this.#consumer.startAt;
  }

  async records(batch: readonly LogRecord[]): Promise<void> {
    try {
      await this.#consumer?.records(batch);
    } catch (error) {
      throw this.#told(error);
    }
  }

  /** It could not be taken on: what the host is to be told. */
  failed(error: unknown): unknown {
    const told = this.#told(error);
    this.#ended.abort(error);
    return told;
  }

  abort(reason: Error): void {
    this.#ended.abort(reason);
  }

  #told(error: unknown): unknown {
    const { aborted, reason } = this.#ended.signal;
    return aborted && error === reason ? new LetGoError("the partition was taken away") : error;
  }
}

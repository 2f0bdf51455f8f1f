import type { Topic } from "../../ports/event-log.ts";
import type { Facts } from "./facts.ts";
import type { GroupCommit } from "./group-commit.ts";

const COMMIT_BYTES = 128;
const keyOf = (group: string, topic: Topic, partition: number) => JSON.stringify([group, topic, partition]);

/** Where each group goes on, by topic and partition. Durable, but for `live`, whose offsets do not outlive the process. */
export class Commits {
  readonly #facts: Facts;
  readonly #writes: GroupCommit;
  readonly #durable = new Map<string, number>();
  /** What was handed to LMDB; ahead of `#durable` while a transaction runs. */
  readonly #handed = new Map<string, number>();

  constructor(facts: Facts, writes: GroupCommit) {
    this.#facts = facts;
    this.#writes = writes;
    for (const { group, topic, partition, next } of facts.commits())
      this.#durable.set(keyOf(group, topic, partition), next);
    this.recover();
  }

  get(group: string, topic: Topic, partition: number): number | null {
    return this.#durable.get(keyOf(group, topic, partition)) ?? null;
  }

  /** Resolves when the group's place is durably at `next` or beyond. */
  async commit(group: string, topic: Topic, partition: number, next: number): Promise<void> {
    if (!Number.isSafeInteger(next) || next < 0) throw new RangeError(`cannot commit offset ${next}`);
    const key = keyOf(group, topic, partition);
    if (next <= (this.#durable.get(key) ?? -1)) return;
    if (topic === "live") {
      this.#durable.set(key, next);
      return;
    }
    let place = next;
    await this.#writes.submit({
      bytes: COMMIT_BYTES,
      // What may be trimmed follows what was committed.
      makesRoom: true,
      put: () => {
        place = Math.max(next, this.#handed.get(key) ?? 0);
        this.#handed.set(key, place);
        this.#facts.putCommit(group, topic, partition, place);
      },
      committed: () => this.#durable.set(key, place),
    });
  }

  /** After a failed transaction. */
  recover(): void {
    this.#handed.clear();
    for (const [key, next] of this.#durable) this.#handed.set(key, next);
  }
}

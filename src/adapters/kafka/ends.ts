import type { Topic } from "../../ports/event-log.ts";

/** Where partitions end, as far as is known here: told by appends, by reading, and by asking once a second. */
export class Ends {
  readonly #ends = new Map<string, number>();

  get(topic: Topic, partition: number): number {
    return this.#ends.get(`${topic}/${partition}`) ?? 0;
  }
  raise(topic: Topic, partition: number, end: number): void {
    if (end > this.get(topic, partition)) this.#ends.set(`${topic}/${partition}`, end);
  }
}

import type { Appended, NewRecord, Topic } from "../../ports/event-log.ts";

/**
 * Records of calls of `append` that failed which are durable all the same: their brokers answered, another one did not.
 * Known by the object itself, for as long as somebody has it to give again.
 */
export class Standing {
  readonly #places = new WeakMap<NewRecord, { readonly topic: Topic; readonly place: Appended }>();

  keep(topic: Topic, record: NewRecord, place: Appended): void {
    this.#places.set(record, { topic, place });
  }

  /** Once: whoever gives the record another time means another one. */
  take(topic: Topic, record: NewRecord): Appended | null {
    const found = this.#places.get(record);
    if (found?.topic !== topic) return null;
    this.#places.delete(record);
    return found.place;
  }
}

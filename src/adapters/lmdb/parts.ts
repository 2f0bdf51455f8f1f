import type { Surroundings } from "../../ports/surroundings.ts";
import type { Facts } from "./facts.ts";
import type { Store } from "./store.ts";
import type { Topics } from "./topics.ts";

/** What an open log is made of. */
export interface Parts extends Surroundings {
  readonly logId: string;
  readonly store: Store;
  readonly facts: Facts;
  readonly topics: Topics;
  readonly maxBytes: number;
  /** Bytes that the disk has left. */
  readonly freeBytes: () => number;
}

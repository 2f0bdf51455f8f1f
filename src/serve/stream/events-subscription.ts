import type { EventId } from "../../../schemas/common.ts";
import type { EventFeed } from "../event-feed.ts";
import { type EventFilter, matcher } from "../event-filter.ts";
import type { FeedEntry, RingRead } from "../event-ring.ts";
import type { Peer } from "./peer.ts";

const READ_EVENTS = 200;

interface EventsOptions {
  readonly feed: EventFeed;
  readonly peer: Peer;
  /** An event as this peer is sent it. */
  readonly frame: (entry: FeedEntry) => string;
  readonly filter: EventFilter;
  /** The position after which to begin, and the event that stands there. */
  readonly after: number;
  readonly lastId: EventId | null;
  readonly behindMax: number;
  /** The peer was up to date once and has fallen too far behind; the id is of the last event that it was sent. */
  readonly tooSlow: (lastId: EventId | null) => void;
  /** Runs a read of stored events beside everything else. */
  readonly background: (task: () => Promise<void>) => void;
}

/**
 * Sends events in order, none missing and none twice. It keeps a position and no queue: what the peer has not taken
 * stays in the feed, which a peer that resumes far back reads at its own pace.
 */
export class EventsSubscription {
  readonly #options: EventsOptions;
  readonly #matches: (entry: FeedEntry) => boolean;
  #after: number;
  #lastId: EventId | null;
  #wasUpToDate = false;
  #isReading = false;
  #isStopped = true;
  #unlisten: () => void = () => undefined;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#matches = matcher(options.filter);
    this.#after = options.after;
    this.#lastId = options.lastId;
  }

  /** The last event that the peer has been sent, or after which it begins. */
  get lastId(): EventId | null {
    return this.#lastId;
  }

  begin(): void {
    this.#isStopped = false;
    this.#unlisten = this.#options.feed.listen(() => this.pump());
    this.pump();
  }

  pump(): void {
    const { peer, feed, behindMax, tooSlow } = this.#options;
    while (!this.#isStopped && !this.#isReading && peer.isWritable) {
      const read = feed.readNow(this.#after, READ_EVENTS, this.#matches);
      if (read === null) {
        this.#readStored();
        return;
      }
      this.#send(read);
      if (read.entries.length < READ_EVENTS) {
        this.#wasUpToDate = true;
        return;
      }
    }
    if (this.#wasUpToDate && !this.#isStopped && feed.end - this.#after > behindMax) tooSlow(this.#lastId);
  }

  stop(): void {
    this.#isStopped = true;
    this.#unlisten();
  }

  #readStored(): void {
    const { background, feed, filter } = this.#options;
    this.#isReading = true;
    background(async () => {
      try {
        this.#send(await feed.read(this.#after, READ_EVENTS, filter));
      } finally {
        this.#isReading = false;
      }
      this.pump();
    });
  }

  #send({ entries, through }: RingRead): void {
    if (this.#isStopped) return;
    const { peer, frame } = this.#options;
    for (const entry of entries) peer.send(frame(entry));
    this.#lastId = entries.at(-1)?.id ?? this.#lastId;
    this.#after = through;
  }
}

import { onTestFinished } from "vitest";
import { SignalServiceEvent } from "../../schemas/event.ts";
import type { Api } from "./api.ts";

/** Keeps every event that the client's live stream gives, each checked against the contract. */
export class FollowedEvents {
  readonly events: SignalServiceEvent[] = [];
  readonly #stop = new AbortController();

  /** Resolves when the stream stands: from now on, or after an event. */
  static async open(api: Api, after?: string): Promise<FollowedEvents> {
    const followed = new FollowedEvents();
    onTestFinished(() => followed.close());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    followed.#read(api, after, resolve).catch(reject);
    await promise;
    return followed;
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(api: Api, after: string | undefined, opened: () => void): Promise<void> {
    const follow = { signal: this.#stop.signal, onConnection: opened };
    for await (const message of api.client.live({ events: { after } }, follow))
      if (message.type === "event") this.events.push(SignalServiceEvent.parse(message.event));
  }
}

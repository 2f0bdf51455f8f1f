import { once } from "node:events";
import { WebSocket } from "ws";
import { z } from "zod";

const Told = z.object({
  type: z.literal("event"),
  event: z.object({ event: z.string(), data: z.object({ signal: z.object({ externalId: z.string() }) }) }),
});

/** Times, with one clock, how long the service takes to tell `signal.failed` on its stream. */
export class FailureWatch {
  readonly #sentAt = new Map<string, number>();
  #samples: number[] = [];
  #firstToldAtMs: number | null = null;
  /** Failures that had not been told when the same signal failed again. */
  #overtaken = 0;

  async open(url: string, key: string): Promise<void> {
    const stream = new WebSocket(`${url.replace(/^http/, "ws")}/v1/stream`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    stream.on("message", (data) => this.#take(data.toString()));
    stream.on("error", () => undefined);
    await once(stream, "open");
    const subscribed = once(stream, "message");
    stream.send(JSON.stringify({ type: "subscribe", id: "failures", events: { types: ["signal.failed"] } }));
    await subscribed;
  }

  sent(externalId: string): void {
    if (this.#sentAt.has(externalId)) this.#overtaken++;
    this.#sentAt.set(externalId, performance.now());
  }

  /** Whether any was told since they were collected. */
  get hasTold(): boolean {
    return this.#firstToldAtMs !== null;
  }

  /** Milliseconds of what was told since the last time, when the first was (Unix ms), and how many were not. */
  collect(): { samples: number[]; firstToldAtMs: number | null; missing: number } {
    const collected = {
      samples: this.#samples,
      firstToldAtMs: this.#firstToldAtMs,
      missing: this.#sentAt.size + this.#overtaken,
    };
    this.#firstToldAtMs = null;
    this.#overtaken = 0;
    this.#samples = [];
    this.#sentAt.clear();
    return collected;
  }

  #take(text: string): void {
    const arrived = performance.now();
    const message = Told.safeParse(JSON.parse(text));
    if (!message.success || message.data.event.event !== "signal.failed") return;
    const name = message.data.event.data.signal.externalId;
    const sent = this.#sentAt.get(name);
    if (sent === undefined) return;
    this.#firstToldAtMs ??= Date.now();
    this.#samples.push(arrived - sent);
    this.#sentAt.delete(name);
  }
}

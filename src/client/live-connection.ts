import type { EventId } from "../../schemas/common.ts";
import { StreamClose } from "../../schemas/stream.ts";
import { ApiError, UnreachableError } from "./failures.ts";
import { Inbox, type LiveMessage } from "./inbox.ts";
import type { ClientClock } from "./platform.ts";
import { Told } from "./told.ts";

/** A peer that answers no ping within this time is gone; half of it is waited between pings. */
const PING_MS = 15_000;
/** As in RFC 6455's registry: ours, a peer's that reads too slowly included. */
const NORMAL = 1000;

interface LiveConnectionOptions {
  readonly url: URL;
  readonly subscription: object;
  readonly clock: ClientClock;
  readonly signal: AbortSignal;
  /** With the event after which it begins, where the service says so. */
  readonly opened: (after: EventId | null | undefined) => void;
}

const refused = (detail: string, code = "validation_failed") => new ApiError({ status: 400, code, detail });

/** One connection to `/v1/stream` with one subscription; it ends with the connection. */
export class LiveConnection {
  readonly #socket: WebSocket;
  readonly #options: LiveConnectionOptions;
  readonly #inbox = new Inbox();
  #isAlive = true;
  #cancelPing: () => void = () => undefined;

  constructor(options: LiveConnectionOptions) {
    this.#options = options;
    this.#socket = new WebSocket(options.url);
    this.#socket.addEventListener("open", () => this.#begin());
    this.#socket.addEventListener("message", ({ data }) => this.#take(String(data)));
    this.#socket.addEventListener("close", ({ code, reason }) => this.#closed(code, reason));
    // Says nothing of why, and a close follows.
    this.#socket.addEventListener("error", () => undefined);
    this.#await();
  }

  /** Everything that comes; ends when the connection does, and throws where another one would fare no better. */
  async *read(): AsyncGenerator<LiveMessage> {
    const end = () => this.#end(null);
    this.#options.signal.addEventListener("abort", end, { once: true });
    try {
      if (this.#options.signal.aborted) end();
      yield* this.#inbox.read();
    } finally {
      this.#options.signal.removeEventListener("abort", end);
      this.#end(null);
    }
  }

  #begin(): void {
    this.#socket.send(JSON.stringify({ type: "subscribe", id: "live", ...this.#options.subscription }));
  }

  #take(text: string): void {
    this.#isAlive = true;
    const { data: told } = Told.safeParse(JSON.parse(text));
    if (told?.type === "subscribed") this.#options.opened(told.after);
    else if (told?.type === "error") this.#end(refused(told.detail, told.code));
    else if (told?.type === "readings" || told?.type === "event") {
      this.#inbox.add(told);
      if (this.#inbox.isFull) this.#end(null);
    }
  }

  /** Asks for a sign of life, and gives up where none has come since the last time. */
  #await(): void {
    this.#cancelPing = this.#options.clock.after(PING_MS, () => {
      if (!this.#isAlive) {
        this.#end(new UnreachableError(this.#options.url.origin, new DOMException("silent", "TimeoutError")));
        return;
      }
      this.#isAlive = false;
      if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send('{"type":"ping"}');
      this.#await();
    });
  }

  #closed(code: number, reason: string): void {
    const isRefusal = code === StreamClose.badMessage;
    this.#end(isRefusal ? refused(reason) : null);
  }

  #end(error: unknown): void {
    this.#cancelPing();
    this.#inbox.end(error);
    this.#socket.close(NORMAL);
  }
}

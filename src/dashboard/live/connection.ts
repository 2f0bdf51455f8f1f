import type { CompactRow } from "../../../schemas/stream.ts";
import { Batcher } from "./batcher.ts";
import { type ConnectionState, type FromWorker, NEVER_MS, type ToldEvent } from "./messages.ts";

/** As the service sends them; read without a validator, as a page of the service trusts it, and there are very many. */
interface Handles {
  readonly type: "signals";
  readonly handles: Readonly<Record<string, string>>;
}
interface Readings {
  readonly type: "readings";
  readonly base: number;
  readonly readings: readonly CompactRow[];
}
interface Told {
  readonly type: "event";
  readonly event: ToldEvent;
}
interface Subscribed {
  readonly type: "subscribed";
  readonly after?: string | null;
}
interface Refused {
  readonly type: "error";
  /** Of which subscription. */
  readonly id?: string;
  readonly code: string;
}
type Message = Handles | Readings | Told | Subscribed | Refused | { readonly type: "pong" };

const ID = "all";
const PER_SECOND = 10;
const FLUSH_EVERY_MS = 100;
const PING_EVERY_MS = 10_000;
/** The service answers each ping: who has heard nothing for so long has no connection. */
const SILENT_MAX_MS = 25_000;
const WATCH_EVERY_MS = 1_000;
const BACKOFF_MS = { base: 500, cap: 5_000 };
/** One that held for less may break again at once: it does not begin the back-off anew. */
const HELD_MS = 10_000;
/** The service has not caught up yet: what is asked for is right all the same. */
const NOT_YET = "pipeline_unavailable";
/** Close codes of /v1/stream (schemas/stream.ts). */
const UNAUTHENTICATED = 4401;

interface Parts {
  readonly url: string;
  readonly tell: (message: FromWorker, transfer?: Transferable[]) => void;
}

/** Follows all signals and all events of the account, over any number of lost connections. */
export class LiveConnection {
  readonly #parts: Parts;
  readonly #batcher = new Batcher();
  /** Places of signals by their ids: they stay what they are over connections. */
  readonly #places = new Map<string, number>();
  /** By handles of the connection. */
  #byHandle: number[] = [];
  #socket: WebSocket | null = null;
  #after: string | null | undefined;
  #attempt = 0;
  #isHeld = false;
  #openedAt = Number.POSITIVE_INFINITY;
  #heardAt = performance.now();
  /** Since when the connection there is has been silent, or is being made. */
  #silentSince = 0;
  #timers: ReturnType<typeof setInterval>[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  start(): void {
    this.#timers = [
      setInterval(() => this.#flush(), FLUSH_EVERY_MS),
      setInterval(() => this.#ping(), PING_EVERY_MS),
      setInterval(() => this.#watch(), WATCH_EVERY_MS),
    ];
    this.#open();
  }

  stop(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#socket?.close();
    this.#socket = null;
  }

  /** Ends it, until `again`; so does the service, where it lets nobody in as they are. */
  hold(): void {
    if (this.#isHeld) return;
    const socket = this.#socket;
    this.#closed("refused");
    socket?.close();
  }

  again(): void {
    if (!this.#isHeld) return;
    this.#isHeld = false;
    this.#openLater();
  }

  #say(state: ConnectionState): void {
    this.#parts.tell({ kind: "connection", state, silentMs: performance.now() - this.#heardAt });
  }

  #open(): void {
    if (this.#timers.length === 0 || this.#isHeld || this.#socket !== null) return;
    if (this.#attempt === 0) this.#say("connecting");
    this.#byHandle = [];
    const socket = new WebSocket(this.#parts.url);
    this.#socket = socket;
    this.#silentSince = performance.now();
    // One that was given up may have something to say yet, in words of a connection that is over.
    const isCurrent = () => this.#socket === socket;
    socket.onopen = () => {
      if (!isCurrent()) return;
      this.#silentSince = performance.now();
      const events = this.#after === undefined ? {} : { after: this.#after };
      const readings = { signalIds: "all", maxPerSecond: PER_SECOND, unreported: true };
      socket.send(JSON.stringify({ type: "subscribe", id: ID, readings, events, format: "compact" }));
    };
    socket.onmessage = ({ data }) => {
      if (isCurrent()) this.#heard(String(data));
    };
    socket.onclose = ({ code }) => {
      if (isCurrent()) this.#closed(code === UNAUTHENTICATED ? "refused" : "lost");
    };
  }

  #closed(state: ConnectionState): void {
    this.#socket = null;
    this.#say(state);
    if (performance.now() - this.#openedAt >= HELD_MS) this.#attempt = 0;
    this.#openedAt = Number.POSITIVE_INFINITY;
    this.#isHeld = state === "refused";
    if (!this.#isHeld) this.#openLater();
  }

  #openLater(): void {
    const capMs = Math.min(BACKOFF_MS.cap, BACKOFF_MS.base * 2 ** this.#attempt);
    this.#attempt++;
    setTimeout(() => this.#open(), capMs / 2 + (Math.random() * capMs) / 2);
  }

  #ping(): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ type: "ping" }));
  }

  #watch(): void {
    const socket = this.#socket;
    if (socket === null || performance.now() - this.#silentSince <= SILENT_MAX_MS) return;
    this.#giveUp(socket);
  }

  /** At once: over a line that is dead the end of a connection takes long to be told. */
  #giveUp(socket: WebSocket): void {
    this.#closed("lost");
    socket.close();
  }

  /** Without its subscription a connection says nothing more, and looks as if nothing happened. */
  #refused({ id, code }: Refused): void {
    if (id !== ID || this.#socket === null) return;
    // Where it cannot be gone on from there, at least what comes from now on is shown.
    if (code !== NOT_YET) this.#after = undefined;
    this.#giveUp(this.#socket);
  }

  #heard(text: string): void {
    this.#heardAt = performance.now();
    this.#silentSince = this.#heardAt;
    const message: Message = JSON.parse(text);
    if (message.type === "readings") this.#readings(message);
    else if (message.type === "signals") this.#signals(message);
    else if (message.type === "event") {
      this.#after = message.event.id;
      this.#parts.tell({ kind: "event", event: message.event });
    } else if (message.type === "subscribed") {
      this.#openedAt = this.#heardAt;
      if (message.after !== undefined) this.#after = message.after;
      this.#say("open");
    } else if (message.type === "error") this.#refused(message);
  }

  #signals({ handles }: Handles): void {
    const from = this.#places.size;
    const ids: string[] = [];
    for (const [handle, id] of Object.entries(handles)) {
      let place = this.#places.get(id);
      if (place === undefined) {
        place = this.#places.size;
        this.#places.set(id, place);
        ids.push(id);
      }
      this.#byHandle[Number(handle)] = place;
    }
    if (ids.length > 0) this.#parts.tell({ kind: "signals", from, ids });
  }

  #readings({ base, readings }: Readings): void {
    for (const [handle, afterMs, strength, quality, status] of readings) {
      const place = this.#byHandle[handle];
      if (place === undefined) continue;
      if (afterMs === null) this.#batcher.add(place, Number.NaN, Number.NaN, status, NEVER_MS);
      else this.#batcher.add(place, strength, quality, status, base + afterMs);
    }
  }

  #flush(): void {
    const batch = this.#batcher.take();
    if (batch === null) return;
    const { place, strength, quality, status, at } = batch;
    this.#parts.tell(batch, [place.buffer, strength.buffer, quality.buffer, status.buffer, at.buffer]);
  }
}

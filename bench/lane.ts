import type { Socket } from "node:net";
import { type Feed, frameOf, type MadeFrames, makeFrames } from "./frames.ts";

/** A write is about so long: small enough that the sender can stop soon. */
const PIECE_BYTES = 256 * 1024;
const WAITING_BYTES_MAX = 4 * 1024 ** 2;

const TIME = Buffer.from('"received_at":"');

/** One connection of a sender, and the frames that go over it in turn. */
export class Lane {
  readonly #feed: Feed;
  readonly #first: number;
  readonly #frames: MadeFrames;
  readonly #times: number[] = [];
  #socket: Socket | null = null;
  #next = 0;
  #floods = false;
  sentFrames = 0;

  constructor(feed: Feed, first: number, signals: number) {
    this.#feed = feed;
    this.#first = first;
    this.#frames = makeFrames(feed, first, signals);
    const { bytes } = this.#frames;
    if (feed.shape === "ttn-v3")
      for (let at = bytes.indexOf(TIME); at >= 0; at = bytes.indexOf(TIME, at + 1))
        this.#times.push(at + TIME.length);
  }

  get connected(): boolean {
    return this.#socket !== null;
  }

  /** From now on frames go over this connection, until it closes. */
  connect(socket: Socket): void {
    this.#socket = socket;
    socket.on("drain", () => this.#fill());
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (this.#socket === socket) this.#socket = null;
    });
    this.#fill();
  }

  /** As much as is taken, or only what `send` is told. */
  flood(floods: boolean): void {
    this.#floods = floods;
    this.#fill();
  }

  /** At most so many frames, fewer if they are not taken. */
  send(count: number): void {
    for (let left = count; left > 0 && this.#takes(); ) left -= this.#write(left);
  }

  /** The next frame, with a bad reading, however much waits before it: gives the signal, or null without a connection. */
  sendBad(which: number): number | null {
    if (this.#socket === null) return null;
    const { perRound } = this.#frames;
    const first = this.#first + (this.#next % perRound) * this.#feed.readingsPerFrame;
    const bad = first + (which % this.#feed.readingsPerFrame);
    this.#socket.write(frameOf(this.#feed, first, 0, bad));
    this.#advance(1);
    return bad;
  }

  /** Frames that carry a time say `at` from now on. */
  tell(at: Date): void {
    const text = at.toISOString();
    for (const place of this.#times) this.#frames.bytes.write(text, place, "latin1");
  }

  #takes(): boolean {
    return this.#socket !== null && this.#socket.writableLength < WAITING_BYTES_MAX;
  }

  #fill(): void {
    while (this.#floods && this.#socket !== null && !this.#socket.writableNeedDrain)
      this.#write(Number.POSITIVE_INFINITY);
  }

  #write(most: number): number {
    const { bytes, starts } = this.#frames;
    const from = starts[this.#next] ?? 0;
    let end = this.#next + 1;
    while (end < starts.length - 1 && end - this.#next < most && (starts[end + 1] ?? 0) - from <= PIECE_BYTES)
      end++;
    this.#socket?.write(bytes.subarray(from, starts[end]));
    const count = end - this.#next;
    this.#advance(count);
    return count;
  }

  #advance(count: number): void {
    this.sentFrames += count;
    this.#next = (this.#next + count) % (this.#frames.starts.length - 1);
  }
}

import { WebSocket } from "ws";
import type { Peer } from "./peer.ts";

/** A close frame's reason is at most this long (RFC 6455, 5.5). */
const REASON_BYTES = 123;

const OVERFULL = 8;

/** The sending side of one WebSocket: it says when the peer does not keep up, and when it does again. */
export class Connection implements Peer {
  readonly #socket: WebSocket;
  readonly #bufferedMax: number;
  #isBlocked = false;
  /** Something came from the peer, or was taken by it, since this was last set to false. */
  isAlive = true;
  /** Called when the peer has taken what was waiting. */
  drained: () => void = () => undefined;

  constructor(socket: WebSocket, bufferedMax: number) {
    this.#socket = socket;
    this.#bufferedMax = bufferedMax;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** False while more waits than the limit; `drained` follows. */
  get isWritable(): boolean {
    if (!this.isOpen) return false;
    this.#isBlocked = this.#socket.bufferedAmount >= this.#bufferedMax;
    return !this.#isBlocked;
  }

  /** More waits than what is sent unasked can come to. */
  get isOverfull(): boolean {
    return this.#socket.bufferedAmount > OVERFULL * this.#bufferedMax;
  }

  send(text: string): void {
    if (this.isOpen) this.#socket.send(text, this.#sent);
  }

  ping(): void {
    if (this.isOpen) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    if (this.isOpen) this.#socket.close(code, reason.slice(0, REASON_BYTES));
  }

  /** Without a word: the peer is gone. */
  terminate(): void {
    this.#socket.terminate();
  }

  readonly #sent = (error?: Error | null): void => {
    if (error) return;
    this.isAlive = true;
    if (this.#isBlocked && this.isWritable) this.drained();
  };
}

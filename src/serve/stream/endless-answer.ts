import type { ServerResponse } from "node:http";
import type { Peer } from "./peer.ts";

/** Nobody on the way may keep it, change it, or wait for more of it (X-Accel-Buffering: nginx and those after it). */
const HEADERS = {
  "Content-Type": "text/event-stream; charset=utf-8",
  "Cache-Control": "no-cache, no-store, no-transform",
  "X-Accel-Buffering": "no",
  Connection: "keep-alive",
};

/** An answer of server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export class EndlessAnswer implements Peer {
  readonly #response: ServerResponse;
  readonly #bufferedMax: number;
  #isBlocked = false;
  #hasTaken = true;

  constructor(response: ServerResponse, bufferedMax: number) {
    this.#response = response;
    this.#bufferedMax = bufferedMax;
  }

  /** `drained`: the peer has taken what was waiting. `closed`: nothing more can be sent. */
  begin(
    headers: Readonly<Record<string, number | string | readonly string[] | undefined>>,
    retryMs: number,
    { drained, closed }: { drained: () => void; closed: () => void },
  ): void {
    this.#response.on("drain", () => {
      if (this.#isBlocked && this.isWritable) drained();
    });
    this.#response.once("close", closed);
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) this.#response.setHeader(name, value);
    this.#response.writeHead(200, HEADERS);
    this.send(`retry: ${retryMs}\n\n`);
  }

  get isOpen(): boolean {
    return !this.#response.writableEnded && !this.#response.destroyed;
  }

  get isWritable(): boolean {
    if (!this.isOpen) return false;
    this.#isBlocked = this.#response.writableLength >= this.#bufferedMax;
    return !this.#isBlocked;
  }

  send(text: string): void {
    if (this.isOpen) this.#response.write(text, this.#taken);
  }

  /** A comment that keeps proxies from closing a silent answer. False: the peer has taken nothing since the last one. */
  beat(): boolean {
    if (!this.isOpen) return true;
    if (!this.#hasTaken) return false;
    this.#hasTaken = false;
    this.send(": still here\n\n");
    return true;
  }

  /** Says why in a comment, for whoever looks; the peer comes back by itself. */
  end(why: string): void {
    if (this.isOpen) this.#response.end(`: ${why}\n\n`);
  }

  /** Without a word: the peer is gone. */
  terminate(): void {
    this.#response.destroy();
  }

  readonly #taken = (error?: Error | null): void => {
    if (!error) this.#hasTaken = true;
  };
}

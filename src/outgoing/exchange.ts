import type { Dispatcher } from "undici";
import { AttemptError } from "./attempt-error.ts";
import { CONTINUE_STAND_IN } from "./interim-answers.ts";

/** What counts of an answer, and when. */
export interface ExchangeEnds {
  /** The status has come, and the body to its end or to what is kept of it. */
  answered(): void;
  /** The whole answer has been read. */
  ended(): void;
  /** The connection is of no further use; before `answered`: this is why there is no answer. */
  broke(error: Error): void;
}

export interface ExchangeLimits {
  /** What is kept of a body. */
  readonly keptBytes: number;
  /** A body is read to here, so that the connection can be used again, and cut if it goes on. */
  readonly readBytes: number;
}

const SWITCHING = 101;
export const SWITCHES = "it switches to another protocol, which was not asked for";

/** How far a request has come. */
export type Progress = "connecting" | "sent" | "headers" | "body";

/** One request and its answer on a connection, as undici tells of them. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #ends: ExchangeEnds;
  readonly #chunks: Buffer[] = [];
  #readBytes = 0;
  #progress: Progress = "connecting";
  #status: number | null = null;
  #retryAfter: string | undefined;

  constructor(limits: ExchangeLimits, ends: ExchangeEnds) {
    this.#limits = limits;
    this.#ends = ends;
  }

  get progress(): Progress {
    return this.#progress;
  }

  /** The newest, be it an interim one (1xx); null before the first. */
  get status(): number | null {
    return this.#status;
  }

  get retryAfter(): string | undefined {
    return this.#retryAfter;
  }

  /** What has been kept of the body so far. */
  body(): { bytes: Buffer; isCut: boolean } {
    return { bytes: Buffer.concat(this.#chunks), isCut: this.#readBytes > this.#limits.keptBytes };
  }

  onRequestStart(): void {
    this.#progress = "sent";
  }

  onResponseStarted(): void {
    this.#progress = "headers";
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    this.#status = status === CONTINUE_STAND_IN ? 100 : status;
    if (status === SWITCHING) controller.abort(new AttemptError("response_invalid", SWITCHES));
    if (status < 200) return;
    this.#progress = "body";
    this.#retryAfter = [headers["retry-after"] ?? []].flat()[0];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const { keptBytes, readBytes } = this.#limits;
    const before = this.#readBytes;
    this.#readBytes += chunk.length;
    // Copied: a chunk is a view of all that the socket read with it.
    if (before < keptBytes) this.#chunks.push(Buffer.from(chunk.subarray(0, keptBytes - before)));
    if (before < keptBytes && this.#readBytes >= keptBytes) this.#ends.answered();
    if (this.#readBytes > readBytes) controller.abort(new Error("the body goes on and on"));
  }

  onResponseEnd(): void {
    this.#ends.answered();
    this.#ends.ended();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#ends.broke(error);
  }
}

type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler["onResponseStart"]>>[2];

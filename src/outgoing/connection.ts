import { type buildConnector, Client, type Dispatcher } from "undici";
import { type InterimAnswers, readInterimAnswers } from "./interim-answers.ts";

export interface ConnectionOptions {
  readonly connect: buildConnector.connector;
  readonly headerBytes: number;
  /** How long it is kept while nothing is sent, unless the far end says less. */
  readonly keepAliveMs: number;
}

export interface OutgoingRequest {
  readonly path: string;
  /** Names and values in turns. */
  readonly headers: string[];
  readonly body: string | Buffer;
}

/** One connection to an origin, which carries one request after another; undici makes it with the first. */
export class Connection {
  readonly origin: string;
  readonly #client: Client;
  #served = 0;
  #answers: InterimAnswers | null = null;

  /** `lost`: told when the far end or its age has closed it. */
  constructor(origin: string, options: ConnectionOptions, lost: (connection: Connection) => void) {
    this.origin = origin;
    this.#client = new Client(origin, {
      connect: (to, callback) =>
        options.connect(to, (...connected) => {
          const [, socket] = connected;
          this.#answers = socket === null ? null : readInterimAnswers(socket);
          callback(...connected);
        }),
      pipelining: 1,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      maxHeaderSize: options.headerBytes,
      // The deadline of the whole request is the sender's.
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    this.#client.on("connect", () => {
      this.#served = 0;
    });
    this.#client.on("disconnect", () => {
      this.#served = 0;
      lost(this);
    });
  }

  /** Whether it has carried an answer before: then a close may mean no more than that it had been idle for too long. */
  get isUsed(): boolean {
    return this.#served > 0;
  }

  post(request: OutgoingRequest, handler: Dispatcher.DispatchHandler): void {
    this.#answers?.expect();
    this.#client.dispatch({ ...request, method: "POST" }, handler);
  }

  /** A whole answer has been read. */
  served(): void {
    this.#served++;
  }

  /** Also breaks off what it carries. Resolves once its socket is closed. */
  destroy(): Promise<void> {
    return this.#client.destroy();
  }
}

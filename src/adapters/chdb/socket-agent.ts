import { Agent } from "node:http";
import { connect } from "node:net";
import type { Duplex } from "node:stream";

const CONNECTIONS_MAX = 10;

/** Sends every request to a Unix socket, whatever host its URL names. */
export class SocketAgent extends Agent {
  readonly #path: string;

  constructor(path: string) {
    super({ keepAlive: true, maxSockets: CONNECTIONS_MAX });
    this.#path = path;
  }

  override createConnection(): Duplex {
    return connect(this.#path);
  }
}

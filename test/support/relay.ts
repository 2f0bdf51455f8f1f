import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import { portOf } from "./port.ts";

/** A port that passes on to the server at `url` what it is told, until its connections are cut. */
export class Relay {
  readonly url: string;
  readonly #sockets: Set<Socket>;
  #isDown = false;

  private constructor(url: string, sockets: Set<Socket>) {
    this.url = url;
    this.#sockets = sockets;
  }

  static async start(url: string): Promise<Relay> {
    const { hostname, port } = new URL(url);
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      if (relay.#isDown) {
        near.resetAndDestroy();
        return;
      }
      const far = connect(Number(port), hostname);
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) {
        sockets.add(socket);
        socket.on("error", () => undefined);
        socket.once("close", () => {
          sockets.delete(socket);
          near.destroy();
          far.destroy();
        });
      }
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const relay = new Relay(`http://127.0.0.1:${portOf(server)}`, sockets);
    onTestFinished(() => {
      server.close();
      relay.cut();
    });
    return relay;
  }

  /** As when a cable is pulled and the peers notice: without a word. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Cuts what there is, and every new connection, until it is `up` again. */
  down(): void {
    this.#isDown = true;
    this.cut();
  }

  up(): void {
    this.#isDown = false;
  }
}

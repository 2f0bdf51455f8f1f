import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { buildConnector } from "undici";
import type { Clock } from "../ports/clock.ts";
import { type DialPhase, dialFailure, dialTimeout } from "./dial-failure.ts";
import type { SocketLookup } from "./guarded-lookup.ts";

/** Of a name with many addresses so many are tried, one after the other, within the time for all. */
const ADDRESSES_TRIED_MAX = 5;
const SESSIONS_MAX = 1_000;
const PROBE_AFTER_MS = 20_000;

export interface DiallerParts {
  readonly clock: Clock;
  /** Checks what a name resolves to. Whoever calls has checked hosts that are addresses. */
  readonly lookup: SocketLookup;
  /** For name, connection and TLS handshake together. */
  readonly timeoutMs: number;
}

/** Opens connections for undici, and fails with an AttemptError that says how far it came. */
export class Dialler {
  readonly #parts: DiallerParts;
  readonly #opening = new Set<Socket>();
  /** By host and port: with them a handshake costs a fraction. The oldest are forgotten. */
  readonly #sessions = new Map<string, Buffer>();

  constructor(parts: DiallerParts) {
    this.#parts = parts;
  }

  readonly connect: buildConnector.connector = (to, callback) => {
    const { clock, timeoutMs } = this.#parts;
    const isTls = to.protocol === "https:";
    let phase: DialPhase = isIP(to.hostname) === 0 ? "name" : "connection";
    const resolved = () => {
      phase = "connection";
    };
    const socket = isTls ? this.#tls(to, resolved) : connectTcp(this.#address(to, 80, resolved));
    this.#opening.add(socket);
    socket.setNoDelay(true).setKeepAlive(true, PROBE_AFTER_MS);

    let isSettled = false;
    const settle = (error: Error | null) => {
      if (isSettled) return;
      isSettled = true;
      cancel();
      this.#opening.delete(socket);
      if (error === null) return callback(null, socket);
      callback(error, null);
      socket.destroy();
    };
    const cancel = clock.after(timeoutMs, () => settle(dialTimeout(phase, timeoutMs)));
    socket
      .on("connect", () => {
        phase = "tls";
        if (!isTls) settle(null);
      })
      .on("secureConnect", () => settle(null))
      .on("error", (error) => settle(dialFailure(phase, error)))
      .on("close", () => settle(dialFailure(phase, new Error("closed"))));
  };

  /** Breaks off what is under way. */
  close(): void {
    for (const socket of this.#opening) socket.destroy();
  }

  #address({ hostname, port }: buildConnector.Options, usualPort: number, resolved: () => void) {
    const { lookup, timeoutMs } = this.#parts;
    const few: SocketLookup = (name, options, callback) =>
      lookup(name, options, (error, found, family) => {
        if (error === null) resolved();
        callback(error, Array.isArray(found) ? found.slice(0, ADDRESSES_TRIED_MAX) : found, family);
      });
    return {
      host: hostname,
      port: port === "" ? usualPort : Number(port),
      lookup: few,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: timeoutMs / ADDRESSES_TRIED_MAX,
    };
  }

  #tls(to: buildConnector.Options, resolved: () => void): Socket {
    const { hostname } = to;
    const key = `${hostname}:${to.port}`;
    const session = this.#sessions.get(key);
    const socket = connectTls({
      ...this.#address(to, 443, resolved),
      ALPNProtocols: ["http/1.1"],
      // An address has no server name (RFC 6066, 3), and a name has no dot at its end there.
      ...(isIP(hostname) === 0 ? { servername: hostname.replace(/\.$/, "") } : {}),
      ...(session === undefined ? {} : { session }),
    });
    // Node emits it only once the certificate has been verified, which it does not do again for a resumed session.
    return socket.on("session", (one) => this.#keepSession(key, one));
  }

  #keepSession(key: string, session: Buffer): void {
    this.#sessions.delete(key);
    this.#sessions.set(key, session);
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size > SESSIONS_MAX && oldest !== undefined) this.#sessions.delete(oldest);
  }
}

import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { type ISocketFactory, Kafka, logLevel, type RetryOptions, type SASLOptions } from "kafkajs";
import type { Logger } from "../../ports/telemetry.ts";
import { clientLogs } from "./client-logs.ts";
import type { KafkaAccess, KafkaSasl } from "./options.ts";
import { mendRequestQueue } from "./request-queue.ts";

mendRequestQueue();

const CLIENT_ID = "signal-optimization-service";
const CONNECT_MAX_MS = 3_000;
const LOG_IN_MAX_MS = 5_000;
/** A broker that leaves a question open for longer is taken for gone. */
export const ANSWER_MAX_MS = 5_000;
const KEEP_ALIVE_MS = 10_000;
/** kafkajs tries again this often by itself; waiting for longer is ours, with our own back-off. */
export const CLIENT_RETRY: RetryOptions = {
  retries: 2,
  initialRetryTime: 50,
  maxRetryTime: 500,
  multiplier: 2,
  factor: 0.2,
};

const login = ({ mechanism, username, password }: KafkaSasl): SASLOptions => {
  if (mechanism === "plain") return { mechanism, username, password };
  if (mechanism === "scram-sha-256") return { mechanism, username, password };
  return { mechanism, username, password };
};

/**
 * A client of kafkajs whose connections can be cut. A socket of a machine that vanished looks open for minutes
 * (PITFALLS 13), and what kafkajs retries on its own must not be said any more once it was given up.
 */
export class KafkaClient {
  readonly kafka: Kafka;
  readonly #access: KafkaAccess;
  readonly #sockets = new Set<Socket>();
  #connects = true;

  constructor(access: KafkaAccess, log: Logger) {
    this.#access = access;
    this.kafka = new Kafka({
      clientId: CLIENT_ID,
      brokers: [...access.brokers],
      ssl: access.tls === undefined ? false : { ...access.tls },
      ...(access.sasl === undefined ? {} : { sasl: login(access.sasl) }),
      connectionTimeout: CONNECT_MAX_MS,
      authenticationTimeout: LOG_IN_MAX_MS,
      requestTimeout: ANSWER_MAX_MS,
      retry: CLIENT_RETRY,
      socketFactory: this.#connect,
      logLevel: logLevel.WARN,
      logCreator: clientLogs(log),
    });
  }

  /** Ends every connection, and makes no other until `mend`: what waits for an answer fails soon. */
  cut(): void {
    this.#connects = false;
    for (const socket of this.#sockets) socket.destroy(new Error("the connection was cut"));
  }

  mend(): void {
    this.#connects = true;
  }

  readonly #connect: ISocketFactory = ({ host, port, onConnect }) => {
    if (!this.#connects) throw new Error("this client was cut off");
    const { tls } = this.#access;
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket =
      tls === undefined
        ? connect({ host, port }, onConnect)
        : connectTls({ host, port, ...name, ...tls }, onConnect);
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    this.#sockets.add(socket);
    socket.once("close", () => this.#sockets.delete(socket));
    return socket;
  };
}

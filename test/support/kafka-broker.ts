import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./free-ports.ts";

/** Where a broker of the tests listens; one port for each way to come in, all on the loopback interface. */
export interface KafkaPorts {
  readonly plain: number;
  readonly sasl: number;
  readonly tls: number;
  readonly controller: number;
}

/** A real broker, made new, that a test may kill and start again: data and ports outlast that. */
export interface TestBroker {
  readonly ports: KafkaPorts;
  start(): Promise<void>;
  /** As if the machine had gone: nothing is written any more, nobody is told. */
  kill(): Promise<void>;
  /** It answers nothing, and its connections stay: a machine that hangs. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  remove(): Promise<void>;
}

export const KAFKA_USER = { username: "test", password: "test-secret" };
/** Authenticated, and allowed nothing. */
export const KAFKA_STRANGER = { username: "stranger", password: "stranger-secret" };

const login = (module: string, users = "") =>
  `org.apache.kafka.common.security.${module} required username="broker" password="broker-secret"${users};`;
const users = [KAFKA_USER, KAFKA_STRANGER]
  .map(({ username, password }) => ` user_${username}="${password}"`)
  .join("");

/** What a node is: the first is broker and controller, a second one a broker of the first's cluster. */
const roleOf = (ports: KafkaPorts, first: KafkaPorts | null) => ({
  "node.id": first === null ? 1 : 2,
  "process.roles": first === null ? "broker,controller" : "broker",
  "controller.quorum.voters": `1@127.0.0.1:${(first ?? ports).controller}`,
});

/** Small, and without the waits that protect a large cluster. */
const kafkaProperties = (ports: KafkaPorts, directory: string, first: KafkaPorts | null): string =>
  Object.entries({
    ...roleOf(ports, first),
    "controller.listener.names": "CONTROLLER",
    listeners: [
      `PLAIN://127.0.0.1:${ports.plain}`,
      `SASL://127.0.0.1:${ports.sasl}`,
      `TLS://127.0.0.1:${ports.tls}`,
      ...(first === null ? [`CONTROLLER://127.0.0.1:${ports.controller}`] : []),
    ].join(","),
    "listener.security.protocol.map": "PLAIN:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SSL,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "PLAIN",
    "sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    "listener.name.sasl.plain.sasl.jaas.config": login("plain.PlainLoginModule", users),
    "listener.name.sasl.scram-sha-256.sasl.jaas.config": login("scram.ScramLoginModule"),
    "listener.name.sasl.scram-sha-512.sasl.jaas.config": login("scram.ScramLoginModule"),
    "ssl.keystore.type": "PEM",
    "ssl.keystore.location": `${directory}/server.pem`,
    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
    "super.users": `User:ANONYMOUS;User:${KAFKA_USER.username}`,
    "log.dirs": `${directory}/data`,
    "group.initial.rebalance.delay.ms": 0,
    // A killed broker that starts again is let in only when its former life has expired.
    "broker.session.timeout.ms": 2_000,
    "broker.heartbeat.interval.ms": 500,
    "offsets.topic.replication.factor": 1,
    "offsets.topic.num.partitions": 5,
    "transaction.state.log.replication.factor": 1,
    "transaction.state.log.min.isr": 1,
    "transaction.state.log.num.partitions": 2,
    "share.coordinator.state.topic.replication.factor": 1,
    "share.coordinator.state.topic.min.isr": 1,
    "auto.create.topics.enable": false,
    "log.cleaner.dedupe.buffer.size": 4 * 2 ** 20,
    "num.network.threads": 2,
    "num.io.threads": 4,
  })
    .map(([name, value]) => `${name}=${value}\n`)
    .join("");

const tlsFile = (name: string) => readFile(new URL(`./tls/${name}.pem`, import.meta.url), "utf8");

/** Where a broker is to live. */
export interface PreparedBroker {
  readonly ports: KafkaPorts;
  readonly directory: string;
}

/** A new directory with all that a broker needs to start, and ports for it; `first`: of the cluster that it joins. */
export const prepareBroker = async (first: KafkaPorts | null = null): Promise<PreparedBroker> => {
  const directory = await mkdtemp(join(tmpdir(), "sos-kafka-"));
  const [plain = 0, sasl = 0, tls = 0, controller = 0] = await freePorts(4);
  const ports = { plain, sasl, tls, controller };
  await writeFile(join(directory, "server.pem"), `${await tlsFile("key")}${await tlsFile("cert")}`);
  await writeFile(join(directory, "server.properties"), kafkaProperties(ports, directory, first));
  return { ports, directory };
};

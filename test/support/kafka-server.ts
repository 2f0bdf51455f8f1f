import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { dockerWorks } from "./container.ts";
import {
  KAFKA_USER,
  type KafkaPorts,
  type PreparedBroker,
  prepareBroker,
  type TestBroker,
} from "./kafka-broker.ts";
import { KafkaContainer } from "./kafka-docker.ts";
import { kafkaJars } from "./kafka-jars.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
/** Any: an id in Kafka's own form, 16 bytes in base64. */
const CLUSTER_ID = "c2lnbmFsLXRlc3RzLTEyMw";
const SMALL_JVM = ["-Xmx512m", "-Xms128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"];
const QUIET = [
  "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
  "-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info",
];
const START_MAX_MS = 60_000;

/** A broker in a process of its own, from Kafka's jars. */
export class KafkaServer implements TestBroker {
  readonly ports: KafkaPorts;
  readonly #directory: string;
  readonly #classPath: string;
  #process: ChildProcess | null = null;

  private constructor(ports: KafkaPorts, directory: string, classPath: string) {
    this.ports = ports;
    this.#directory = directory;
    this.#classPath = classPath;
  }

  static async make(ports: KafkaPorts, directory: string, classPath: string): Promise<KafkaServer> {
    const server = new KafkaServer(ports, directory, classPath);
    await server.#format();
    await server.start();
    return server;
  }

  async start(): Promise<void> {
    const main = ["kafka.Kafka", join(this.#directory, "server.properties")];
    const started = spawn("java", [...SMALL_JVM, ...QUIET, "-cp", this.#classPath, ...main], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    const killWithUs = () => started.kill("SIGKILL");
    process.once("exit", killWithUs);
    started.once("exit", () => process.off("exit", killWithUs));
    let printed = "";
    started.stderr?.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-10_000);
    });
    started.stderr?.pipe(createWriteStream(join(this.#directory, "server.log"), { flags: "a" }));
    await until(
      "the broker to start",
      () => {
        if (started.exitCode !== null) throw new Error(`the broker ended:\n${printed}`);
        return printed.includes("Kafka Server started");
      },
      START_MAX_MS,
    );
  }

  async kill(): Promise<void> {
    const running = this.#process;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const exit = once(running, "exit");
    running.kill("SIGKILL");
    await exit;
  }

  async freeze(): Promise<void> {
    this.#process?.kill("SIGSTOP");
  }
  async thaw(): Promise<void> {
    this.#process?.kill("SIGCONT");
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  async #format(): Promise<void> {
    const { username, password } = KAFKA_USER;
    const scram = [256, 512].flatMap((bits) => [
      "--add-scram",
      `SCRAM-SHA-${bits}=[name=${username},password=${password}]`,
    ]);
    const config = ["--config", join(this.#directory, "server.properties")];
    const format = ["kafka.tools.StorageTool", "format", "--cluster-id", CLUSTER_ID, ...config, ...scram];
    await run("java", [...SMALL_JVM, ...QUIET, "-cp", this.#classPath, ...format]);
  }
}

/** A port that was free may be somebody else's by the time the broker asks for it: then others are tried. */
const STARTS_MAX = 3;
const startedServer = async (classPath: string, prepared: PreparedBroker, cluster: KafkaPorts | null) => {
  for (let left = STARTS_MAX, { ports, directory } = prepared; ; left--) {
    try {
      return await KafkaServer.make(ports, directory, classPath);
    } catch (error) {
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
      if (left === 1 || !String(error).includes("Address already in use")) throw error;
    }
    ({ ports, directory } = await prepareBroker(cluster));
  }
};

/** A broker that is a child of this process, from Kafka's jars; or why there is none. `cluster`: see `ownKafka`. */
export const ownKafkaProcess = async (
  prepared?: PreparedBroker,
  cluster: KafkaPorts | null = null,
): Promise<TestBroker | { readonly missing: string }> => {
  const jars = await kafkaJars();
  if ("missing" in jars) return jars;
  return await startedServer(jars.classPath, prepared ?? (await prepareBroker(cluster)), cluster);
};

/**
 * A broker that tests may kill: in a container, else from Kafka's jars; or why there is none. `cluster`: where the one
 * broker listens whose cluster this one joins.
 */
export const ownKafka = async (
  cluster: KafkaPorts | null = null,
): Promise<TestBroker | { readonly missing: string }> => {
  const prepared = await prepareBroker(cluster);
  // What a container cannot be had for is not the tests' matter: the jars may be had all the same.
  const container = (await dockerWorks())
    ? await KafkaContainer.make(prepared.ports, prepared.directory).catch(() => null)
    : null;
  return container ?? (await ownKafkaProcess(prepared, cluster));
};

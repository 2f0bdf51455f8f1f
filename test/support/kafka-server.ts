import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "./free-ports.ts";
import { kafkaJars } from "./kafka-jars.ts";
import { KAFKA_USER, type KafkaPorts, kafkaProperties } from "./kafka-properties.ts";
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

const tlsFile = (name: string) => readFile(new URL(`./tls/${name}.pem`, import.meta.url), "utf8");

/** A real broker of this machine, made new, on ports of its own. Data and ports outlast `kill` and `start`. */
export class KafkaServer {
  readonly ports: KafkaPorts;
  readonly #directory: string;
  readonly #classPath: string;
  #process: ChildProcess | null = null;

  private constructor(ports: KafkaPorts, directory: string, classPath: string) {
    this.ports = ports;
    this.#directory = directory;
    this.#classPath = classPath;
  }

  static async make(classPath: string): Promise<KafkaServer> {
    const directory = await mkdtemp(join(tmpdir(), "sos-kafka-"));
    const [plain = 0, sasl = 0, tls = 0, controller = 0] = await freePorts(4);
    const ports = { plain, sasl, tls, controller };
    const server = new KafkaServer(ports, directory, classPath);
    await writeFile(join(directory, "server.pem"), `${await tlsFile("key")}${await tlsFile("cert")}`);
    await writeFile(join(directory, "server.properties"), kafkaProperties(ports, directory));
    await server.#format();
    await server.start();
    return server;
  }

  get brokers(): string[] {
    return [`127.0.0.1:${this.ports.plain}`];
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

  /** As if the machine had gone: nothing is written any more, nobody is told. */
  async kill(): Promise<void> {
    const running = this.#process;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const exit = once(running, "exit");
    running.kill("SIGKILL");
    await exit;
  }

  /** It answers nothing, and its connections stay: a machine that hangs. */
  freeze(): void {
    this.#process?.kill("SIGSTOP");
  }
  thaw(): void {
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

/** A broker that tests may kill; or why there is none. */
export const ownKafka = async (): Promise<KafkaServer | { readonly missing: string }> => {
  const jars = await kafkaJars();
  return "missing" in jars ? jars : await KafkaServer.make(jars.classPath);
};

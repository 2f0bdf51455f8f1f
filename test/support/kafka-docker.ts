import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { KAFKA_USER, type KafkaPorts, type TestBroker } from "./kafka-broker.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const IMAGE = "apache/kafka:4.3.1";
const START_MAX_MS = 120_000;
const docker = async (...command: readonly string[]): Promise<string> =>
  (await run("docker", [...command])).stdout.trim();

/** Whether there is an engine that works: the command alone does not say so. */
export const dockerWorks = async (): Promise<boolean> => {
  try {
    await run("docker", ["info"], { timeout: 5_000 });
    return true;
  } catch {
    return false;
  }
};

/** A broker in a container that shares this machine's network. */
export class KafkaContainer implements TestBroker {
  readonly ports: KafkaPorts;
  readonly #id: string;

  private constructor(ports: KafkaPorts, id: string) {
    this.ports = ports;
    this.#id = id;
  }

  /** `directory` holds the broker's `server.properties` and `server.pem`. */
  static async make(ports: KafkaPorts, directory: string): Promise<KafkaContainer> {
    const mounts = ["-v", `${directory}:/mnt/shared/config:ro`, "-v", `${directory}:${directory}`];
    const id = await docker("run", "-d", "--network", "host", "--user", "0", ...mounts, IMAGE);
    const container = new KafkaContainer(ports, id);
    await container.#started();
    const scram = [256, 512].map((bits) => `SCRAM-SHA-${bits}=[password=${KAFKA_USER.password}]`).join(",");
    const server = ["--bootstrap-server", `127.0.0.1:${ports.plain}`];
    const user = ["--entity-type", "users", "--entity-name", KAFKA_USER.username];
    await docker(
      "exec",
      id,
      "/opt/kafka/bin/kafka-configs.sh",
      ...server,
      "--alter",
      ...user,
      "--add-config",
      scram,
    );
    return container;
  }

  async start(): Promise<void> {
    await docker("start", this.#id);
    await this.#started();
  }
  async kill(): Promise<void> {
    await docker("kill", "-s", "KILL", this.#id).catch(() => undefined);
  }
  async freeze(): Promise<void> {
    await docker("pause", this.#id);
  }
  async thaw(): Promise<void> {
    await docker("unpause", this.#id);
  }
  async remove(): Promise<void> {
    await docker("rm", "-f", "-v", this.#id);
  }

  async #started(): Promise<void> {
    const since = Math.floor(Date.now() / 1_000) - 1;
    await until(
      "the broker's container to start",
      async () => (await docker("logs", "--since", String(since), this.#id)).includes("Kafka Server started"),
      START_MAX_MS,
    );
  }
}

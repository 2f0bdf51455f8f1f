import { Container, docker } from "./container.ts";
import { KAFKA_USER, type KafkaPorts, type TestBroker } from "./kafka-broker.ts";
import { KAFKA_VERSION } from "./kafka-jars.ts";

const IMAGE = `apache/kafka:${KAFKA_VERSION}`;

/** A broker in a container that shares this machine's network. */
export class KafkaContainer extends Container implements TestBroker {
  readonly ports: KafkaPorts;

  private constructor(ports: KafkaPorts, id: string) {
    super(id);
    this.ports = ports;
  }

  /** `directory` holds the broker's `server.properties` and `server.pem`. */
  static async make(ports: KafkaPorts, directory: string): Promise<KafkaContainer> {
    const mounts = ["-v", `${directory}:/mnt/shared/config:ro`, "-v", `${directory}:${directory}`];
    const id = await docker("create", "--network", "host", "--user", "0", ...mounts, IMAGE);
    const container = new KafkaContainer(ports, id);
    await container.start();
    await container.#addUser();
    return container;
  }

  protected override async ready(): Promise<boolean> {
    return (await this.printed()).includes("Kafka Server started");
  }

  async #addUser(): Promise<void> {
    const scram = [256, 512].map((bits) => `SCRAM-SHA-${bits}=[password=${KAFKA_USER.password}]`).join(",");
    const server = ["--bootstrap-server", `127.0.0.1:${this.ports.plain}`];
    const user = ["--entity-type", "users", "--entity-name", KAFKA_USER.username];
    const program = "/opt/kafka/bin/kafka-configs.sh";
    await docker("exec", this.id, program, ...server, "--alter", ...user, "--add-config", scram);
  }
}

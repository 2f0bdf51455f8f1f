import { join } from "node:path";
import { Container, docker } from "./container.ts";
import { freePorts } from "./free-ports.ts";
import { POSTGRES_USER, settingsOf, type TestPostgres, urlAt } from "./postgres-server.ts";

const IMAGE = "postgres:18";
const TLS = join(import.meta.dirname, "tls");
/** The server wants its key for itself alone, and the mount is the host's. */
const OWN_KEY = "cp /tls/*.pem /tmp/ && chown postgres /tmp/*.pem && chmod 600 /tmp/key.pem";

/** A server in a container, on a port of this machine's loopback interface. */
export class PostgresContainer extends Container implements TestPostgres {
  readonly port: number;

  private constructor(port: number, id: string) {
    super(id);
    this.port = port;
  }

  static async make(): Promise<PostgresContainer> {
    const [port = 0] = await freePorts(1);
    const settings = Object.entries(settingsOf("/tmp")).map(([name, value]) => `-c '${name}=${value}'`);
    const server = ["exec docker-entrypoint.sh postgres -c 'listen_addresses=*'", ...settings].join(" ");
    const { user, password } = POSTGRES_USER;
    const login = { POSTGRES_USER: user, POSTGRES_PASSWORD: password, POSTGRES_DB: "postgres" };
    const environment = Object.entries(login).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    const place = ["-p", `127.0.0.1:${port}:5432`, "-v", `${TLS}:/tls:ro`, "--entrypoint", "sh"];
    const id = await docker("create", ...place, ...environment, IMAGE, "-c", `${OWN_KEY} && ${server}`);
    const container = new PostgresContainer(port, id);
    await container.start();
    return container;
  }

  url(login = POSTGRES_USER, database = "postgres"): string {
    return urlAt(this.port, login, database);
  }

  async stopAtOnce(): Promise<void> {
    await this.end("QUIT");
  }

  /** At its first start it is ready twice: once on a socket alone, to be set up. */
  protected override async ready(): Promise<boolean> {
    await docker("exec", this.id, "pg_isready", "-h", "127.0.0.1");
    return true;
  }
}

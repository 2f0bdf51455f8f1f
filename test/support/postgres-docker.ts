import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "./free-ports.ts";
import { POSTGRES_USER, settingsOf, type TestPostgres, urlAt } from "./postgres-server.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const IMAGE = "postgres:18";
const START_MAX_MS = 120_000;
const TLS = join(import.meta.dirname, "tls");
/** The server wants its key for itself alone, and the mount is the host's. */
const OWN_KEY = "cp /tls/*.pem /tmp/ && chown postgres /tmp/*.pem && chmod 600 /tmp/key.pem";

const docker = async (...command: readonly string[]): Promise<string> =>
  (await run("docker", [...command])).stdout.trim();

/** A server in a container, on a port of this machine's loopback interface. */
export class PostgresContainer implements TestPostgres {
  readonly port: number;
  readonly #id: string;
  /** In seconds: what it printed before is of an earlier life. */
  #startedAt = 0;

  private constructor(port: number, id: string) {
    this.port = port;
    this.#id = id;
  }

  static async make(): Promise<PostgresContainer> {
    const [port = 0] = await freePorts(1);
    const settings = Object.entries(settingsOf("/tmp")).flatMap(([name, value]) => [
      "-c",
      `${name}=${value}`,
    ]);
    const command = ["postgres", "-c", "listen_addresses=*", ...settings];
    const shell = `${OWN_KEY} && exec docker-entrypoint.sh ${command.map((word) => `'${word}'`).join(" ")}`;
    const { user, password } = POSTGRES_USER;
    const login = [
      "-e",
      `POSTGRES_USER=${user}`,
      "-e",
      `POSTGRES_PASSWORD=${password}`,
      "-e",
      "POSTGRES_DB=postgres",
    ];
    const place = ["-p", `127.0.0.1:${port}:5432`, "-v", `${TLS}:/tls:ro`, "--entrypoint", "sh"];
    const id = await docker("create", ...place, ...login, IMAGE, "-c", shell);
    const container = new PostgresContainer(port, id);
    await container.start();
    return container;
  }

  url(login = POSTGRES_USER, database = "postgres"): string {
    return urlAt(this.port, login, database);
  }

  async start(): Promise<void> {
    this.#startedAt = Math.floor(Date.now() / 1_000) - 1;
    await docker("start", this.#id);
    const ready = async () => (await this.printed()).includes("ready to accept connections");
    // At its first start it is ready twice: once for itself, to be set up.
    const answers = () =>
      docker("exec", this.#id, "pg_isready", "-h", "127.0.0.1").then(
        () => true,
        () => false,
      );
    await until(
      "PostgreSQL's container to start",
      async () => (await ready()) && (await answers()),
      START_MAX_MS,
    );
  }
  async stopAtOnce(): Promise<void> {
    await this.#end("QUIT");
  }
  async kill(): Promise<void> {
    await this.#end("KILL");
  }
  async freeze(): Promise<void> {
    await docker("pause", this.#id);
  }
  async thaw(): Promise<void> {
    await docker("unpause", this.#id);
  }
  async printed(): Promise<string> {
    return (await run("docker", ["logs", "--since", String(this.#startedAt), this.#id])).stderr;
  }
  async remove(): Promise<void> {
    await docker("rm", "-f", "-v", this.#id);
  }

  async #end(signal: string): Promise<void> {
    await docker("kill", "-s", signal, this.#id).catch(() => undefined);
    await docker("wait", this.#id);
  }
}

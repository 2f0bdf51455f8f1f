import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chmod, chown, copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePorts } from "./free-ports.ts";
import { postgresBinaries } from "./postgres-binaries.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const START_MAX_MS = 30_000;
const TLS = join(import.meta.dirname, "tls");
export const POSTGRES_USER = { user: "signals", password: "test secret/?" };

/** PostgreSQL refuses to run as root: then it runs as nobody. */
const NOBODY = 65_534;
const isRoot = userInfo().uid === 0;
const owner = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

const configuration = (port: number, directory: string): string =>
  Object.entries({
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 200,
    shared_buffers: "32MB",
    ssl: "on",
    ssl_cert_file: join(directory, "cert.pem"),
    ssl_key_file: join(directory, "key.pem"),
    deadlock_timeout: "500ms",
    timezone: "UTC",
  })
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join("");

/** A PostgreSQL in a process of its own that tests may kill; its data and its port outlast that. */
export class PostgresServer {
  readonly port: number;
  readonly #directory: string;
  readonly #binaries: string;
  #process: ChildProcess | null = null;
  #printed = "";

  /** Its log since its last start, the end of it. */
  get printed(): string {
    return this.#printed;
  }

  private constructor(port: number, directory: string, binaries: string) {
    this.port = port;
    this.#directory = directory;
    this.#binaries = binaries;
  }

  static async make(): Promise<PostgresServer> {
    const [port = 0] = await freePorts(1);
    const directory = await mkdtemp(join(tmpdir(), "sos-postgres-"));
    const server = new PostgresServer(port, directory, await postgresBinaries());
    await server.#initialise();
    await server.start();
    return server;
  }

  url({ user, password } = POSTGRES_USER, database = "postgres"): string {
    return `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${this.port}/${database}`;
  }

  async start(): Promise<void> {
    // A server that was killed leaves its shared memory to its last children, which take a moment to notice.
    await until("PostgreSQL to start", () => this.#tryStart(), START_MAX_MS);
  }

  /** Immediate stop: as at a crash, nothing is finished, and the write-ahead log is replayed at the next start. */
  async stopAtOnce(): Promise<void> {
    await this.#end("SIGQUIT");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  /** It and its sessions stand still, and their connections stay. */
  async freeze(): Promise<void> {
    for (const pid of await this.#pids()) process.kill(pid, "SIGSTOP");
  }
  async thaw(): Promise<void> {
    for (const pid of await this.#pids()) process.kill(pid, "SIGCONT");
  }

  async remove(): Promise<void> {
    await this.stopAtOnce();
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  async #initialise(): Promise<void> {
    const data = join(this.#directory, "data");
    const passwordFile = join(this.#directory, "password");
    await writeFile(passwordFile, `${POSTGRES_USER.password}\n`);
    for (const name of ["cert.pem", "key.pem"]) {
      await copyFile(join(TLS, name), join(this.#directory, name));
      await chmod(join(this.#directory, name), 0o600);
    }
    for (const path of [".", "password", "cert.pem", "key.pem"]) {
      if (isRoot) await chown(join(this.#directory, path), NOBODY, NOBODY);
    }
    const how = ["--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync"];
    const who = [`--username=${POSTGRES_USER.user}`, `--pwfile=${passwordFile}`];
    await run(join(this.#binaries, "bin", "initdb"), [`--pgdata=${data}`, ...how, ...who], owner);
    await appendFile(join(data, "postgresql.conf"), configuration(this.port, this.#directory));
  }

  async #tryStart(): Promise<boolean> {
    this.#printed = "";
    const started = spawn(join(this.#binaries, "bin", "postgres"), ["-D", join(this.#directory, "data")], {
      ...owner,
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#process = started;
    const killWithUs = () => started.kill("SIGQUIT");
    process.once("exit", killWithUs);
    started.once("exit", () => process.off("exit", killWithUs));
    started.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#printed = (this.#printed + text).slice(-10_000);
    });
    const isReady = () => this.#printed.includes("ready to accept connections");
    await until(
      "PostgreSQL to be ready or to end",
      () => isReady() || started.exitCode !== null,
      START_MAX_MS,
    );
    if (isReady()) return true;
    if (/pre-existing shared memory|lock file/.test(this.#printed)) return false;
    throw new Error(`PostgreSQL ended:\n${this.#printed}`);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const running = this.#process;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const exit = once(running, "exit");
    running.kill(signal);
    await exit;
  }

  async #pids(): Promise<number[]> {
    const pid = this.#process?.pid;
    if (pid === undefined) return [];
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    return [pid, ...children.trim().split(" ").filter(Boolean).map(Number)];
  }
}

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

/** A real server, made new, that a test may kill and start again: data and port outlast that. */
export interface TestPostgres {
  readonly port: number;
  url(login?: typeof POSTGRES_USER, database?: string): string;
  start(): Promise<void>;
  /** Immediate stop: as at a crash, nothing is finished, and the write-ahead log is replayed at the next start. */
  stopAtOnce(): Promise<void>;
  kill(): Promise<void>;
  /** It and its sessions stand still, and their connections stay. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Its log since its last start, the end of it. */
  printed(): Promise<string>;
  remove(): Promise<void>;
}

/** Where the certificate is, and what makes tests quick. */
export const settingsOf = (directory: string) => ({
  max_connections: 200,
  shared_buffers: "32MB",
  // What a killed server has written, the system still has: only a machine that falls would lose it.
  fsync: "off",
  ssl: "on",
  ssl_cert_file: join(directory, "cert.pem"),
  ssl_key_file: join(directory, "key.pem"),
  deadlock_timeout: "500ms",
  timezone: "UTC",
});

const configuration = (port: number, directory: string): string =>
  Object.entries({
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    ...settingsOf(directory),
  })
    .map(([name, value]) => `${name} = '${value}'\n`)
    .join("");

export const urlAt = (port: number, { user, password }: typeof POSTGRES_USER, database: string): string =>
  `postgres://${encodeURIComponent(user)}:${encodeURIComponent(password)}@127.0.0.1:${port}/${database}`;

const killIfThere = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
};

/** A PostgreSQL in a process of its own that tests may kill; its data and its port outlast that. */
export class PostgresServer implements TestPostgres {
  readonly port: number;
  readonly #directory: string;
  readonly #binaries: string;
  #process: ChildProcess | null = null;
  #printed = "";

  async printed(): Promise<string> {
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

  url(login = POSTGRES_USER, database = "postgres"): string {
    return urlAt(this.port, login, database);
  }

  async start(): Promise<void> {
    // A server that was killed leaves its shared memory to its last children, which take a moment to notice.
    await until("PostgreSQL to start", () => this.#tryStart(), START_MAX_MS);
  }

  async stopAtOnce(): Promise<void> {
    await this.#end("SIGQUIT");
  }

  async kill(): Promise<void> {
    // Its sessions would live on for a moment, and answer.
    const sessions = await this.#pids();
    await this.#end("SIGKILL");
    for (const pid of sessions) killIfThere(pid);
  }

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
    const { pid, exitCode = 0, signalCode = null } = this.#process ?? {};
    if (pid === undefined || exitCode !== null || signalCode !== null) return [];
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
    return [pid, ...children.trim().split(" ").filter(Boolean).map(Number)];
  }
}

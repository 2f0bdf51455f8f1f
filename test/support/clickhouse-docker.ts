import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { CLICKHOUSE_LOGIN, type TestClickHouse } from "./clickhouse-server.ts";
import { freePorts } from "./free-ports.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const IMAGE = "clickhouse/clickhouse-server:26.7";
/** One replica with a Keeper of its own: what is killed keeps its promises only if its tables are replicated ones. */
const CLUSTER = fileURLToPath(new URL("../../deploy/compose/clickhouse/cluster.yaml", import.meta.url));
const CLUSTER_NAME = "signals";
const START_MAX_MS = 120_000;
const docker = async (...command: readonly string[]): Promise<string> =>
  (await run("docker", [...command])).stdout.trim();

/** A server in a container, its HTTP interface on a port of this machine's loopback interface. */
export class ClickHouseContainer implements TestClickHouse {
  readonly url: string;
  readonly cluster = CLUSTER_NAME;
  readonly #id: string;

  private constructor(url: string, id: string) {
    this.url = url;
    this.#id = id;
  }

  static async make(): Promise<ClickHouseContainer> {
    const [port = 0] = await freePorts(1);
    const { user, password } = CLICKHOUSE_LOGIN;
    const login = ["-e", `CLICKHOUSE_USER=${user}`, "-e", `CLICKHOUSE_PASSWORD=${password}`];
    const mount = ["-v", `${CLUSTER}:/etc/clickhouse-server/config.d/cluster.yaml:ro`];
    const id = await docker("run", "-d", "-p", `127.0.0.1:${port}:8123`, ...mount, ...login, IMAGE);
    const container = new ClickHouseContainer(`http://127.0.0.1:${port}`, id);
    await container.#answers();
    return container;
  }

  async start(): Promise<void> {
    await docker("start", this.#id);
    await this.#answers();
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

  async #answers(): Promise<void> {
    const isThere = async () => (await fetch(`${this.url}/ping`)).ok;
    await until("the server's container to answer", () => isThere().catch(() => false), START_MAX_MS);
  }
}

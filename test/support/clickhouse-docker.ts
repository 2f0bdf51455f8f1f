import { fileURLToPath } from "node:url";
import { CLICKHOUSE_LOGIN, type TestClickHouse } from "./clickhouse-server.ts";
import { Container, docker } from "./container.ts";
import { freePorts } from "./free-ports.ts";

const IMAGE = "clickhouse/clickhouse-server:26.7";
/** One replica with a Keeper of its own: what is killed keeps its promises only if its tables are replicated ones. */
const CLUSTER = fileURLToPath(new URL("../../deploy/compose/clickhouse/cluster.yaml", import.meta.url));
const CLUSTER_NAME = "signals";

/** A server in a container, its HTTP interface on a port of this machine's loopback interface. */
export class ClickHouseContainer extends Container implements TestClickHouse {
  readonly url: string;
  readonly cluster = CLUSTER_NAME;

  private constructor(url: string, id: string) {
    super(id);
    this.url = url;
  }

  static async make(): Promise<ClickHouseContainer> {
    const [port = 0] = await freePorts(1);
    const { user, password } = CLICKHOUSE_LOGIN;
    const login = ["-e", `CLICKHOUSE_USER=${user}`, "-e", `CLICKHOUSE_PASSWORD=${password}`];
    const mount = ["-v", `${CLUSTER}:/etc/clickhouse-server/config.d/cluster.yaml:ro`];
    const id = await docker("create", "-p", `127.0.0.1:${port}:8123`, ...mount, ...login, IMAGE);
    const container = new ClickHouseContainer(`http://127.0.0.1:${port}`, id);
    await container.start();
    return container;
  }

  protected override async ready(): Promise<boolean> {
    return (await fetch(`${this.url}/ping`)).ok;
  }
}

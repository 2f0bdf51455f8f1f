import type { Agent as HttpAgent } from "node:http";
import type { Agent as HttpsAgent } from "node:https";

/** A way to a ClickHouse engine, and what differs between engines. */
export interface ClickHouseTransport {
  /** As people know it; never with a password. */
  readonly name: string;
  readonly database: string;
  readonly connection: {
    readonly url: string;
    readonly username?: string;
    readonly password?: string;
    readonly http_agent?: HttpAgent | HttpsAgent;
  };
  /** For how long a request is tried again while the engine cannot be reached. */
  readonly retryForMs: number;
  /** What is known to be wrong with the engine right now. */
  fault(): string | null;
  close(): Promise<void>;
}

const DEFAULT_DATABASE = "signals";

/** `CLICKHOUSE_URL`: `https://user:password@host:8443/database`; the database is `signals` unless given. */
export const serverTransport = (clickhouseUrl: string): ClickHouseTransport => {
  const url = new URL(clickhouseUrl);
  const database = decodeURIComponent(url.pathname.slice(1)) || DEFAULT_DATABASE;
  if (!/^\w+$/.test(database)) throw new Error(`CLICKHOUSE_URL: no name of a database: ${database}`);
  return {
    name: `ClickHouse at ${url.host}`,
    database,
    connection: {
      url: url.origin,
      ...(url.username === "" ? {} : { username: decodeURIComponent(url.username) }),
      ...(url.password === "" ? {} : { password: decodeURIComponent(url.password) }),
    },
    retryForMs: 5_000,
    fault: () => null,
    close: async () => undefined,
  };
};

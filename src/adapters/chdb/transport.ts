import type { ClickHouseTransport } from "../clickhouse/transport.ts";
import { SocketAgent } from "./socket-agent.ts";

export const DATABASE = "signals";
/** A request waits this long for a child that is being restarted. */
const RETRY_FOR_MS = 20_000;

/** To the engine at `socketPath` that another thread of this process has started, and looks after. */
export const chdbTransport = (socketPath: string): ClickHouseTransport => {
  const agent = new SocketAgent(socketPath);
  return {
    name: "embedded ClickHouse",
    database: DATABASE,
    connection: { url: "http://engine", http_agent: agent },
    retryForMs: RETRY_FOR_MS,
    fault: () => null,
    close: async () => agent.destroy(),
  };
};

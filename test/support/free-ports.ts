import { once } from "node:events";
import { createServer } from "node:net";
import { portOf } from "./port.ts";

/** Ports of the loopback interface that nobody listened on a moment ago. */
export const freePorts = async (count: number): Promise<number[]> => {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map(portOf);
  await Promise.all(servers.map((server) => once(server.close(), "close")));
  return ports;
};

/** The process that runs the embedded engine. Started by `supervisor.ts`; its only argument is `ChildArguments` as JSON. */
import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import { systemClock } from "../system/clock.ts";
import { type Engine, EngineMissingError, openEngine } from "./engine.ts";
import { gateway } from "./gateway.ts";
import { ChildArguments, type ChildMessage, STOP } from "./messages.ts";

const DRAIN_MS = 8_000;

const tell = (message: ChildMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });

const stop = async (server: Server, engine: Engine): Promise<void> => {
  // A query that will not end must not keep the service from stopping: tokens make the cut safe.
  const cancel = systemClock.after(DRAIN_MS, () => process.exit(1));
  server.close();
  server.closeIdleConnections();
  await engine.close();
  server.closeAllConnections();
  cancel();
  process.exit(0);
};

const main = async (): Promise<void> => {
  const { socketPath, ...options } = ChildArguments.parse(JSON.parse(process.argv[2] ?? "null"));
  // Ctrl-C and systemd signal the whole group; the parent drains first and then says stop.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  // Without a parent there is nobody to serve. Cut, not closed: native threads may be busy for long.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  const engine = await openEngine({ ...options, clock: systemClock });
  const server = gateway(engine, options.database);
  await rm(socketPath, { force: true });
  server.listen(socketPath);
  await once(server, "listening");
  process.on("message", (message) => {
    if (message === STOP) stop(server, engine).catch(() => process.exit(1));
  });
  await tell({ type: "ready" });
};

main().catch(async (error: unknown) => {
  const reason = error instanceof EngineMissingError ? "missing" : "cannot_open";
  await tell({ type: "failed", reason, message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});

/** The process that runs the embedded engine. Started by `supervisor.ts`; its only argument is `ChildArguments` as JSON. */
import { once } from "node:events";
import { rm } from "node:fs/promises";
import type { Server } from "node:http";
import { systemClock } from "../system/clock.ts";
import { repairDeduplication } from "./deduplication-repair.ts";
import { type Engine, EngineMissingError, openEngine } from "./engine.ts";
import { endingAtPhantoms } from "./failed-insert.ts";
import { gateway } from "./gateway.ts";
import { InsertBodies } from "./insert-bodies.ts";
import { ChildArguments, type ChildMessage, STOP } from "./messages.ts";
import { niceMerges } from "./nice-merges.ts";

const DRAIN_MS = 8_000;

const tell = (message: ChildMessage): Promise<void> =>
  new Promise((resolve) => {
    if (process.send === undefined) resolve();
    else process.send(message, () => resolve());
  });

const cut = () => process.kill(process.pid, "SIGKILL");

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
  const { listen, bodies, ...options } = ChildArguments.parse(JSON.parse(process.argv[2] ?? "null"));
  // Ctrl-C and systemd signal the whole group; the parent drains first and then says stop.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  // Without a parent there is nobody to serve. Cut, not closed: native threads may be busy for long.
  process.on("disconnect", cut);
  const opened = await openEngine({ ...options, clock: systemClock });
  niceMerges(systemClock);
  const run = async (sql: string) => (await opened.query(sql, "JSONCompactEachRow")).text();
  // The engine holds the directory's lock, and nobody inserts yet.
  const repair = await repairDeduplication(run, options.database);
  const engine = endingAtPhantoms(opened, run, options.database, (reason) => {
    process.stderr.write(`${reason}\n`);
    cut();
  });
  const server = gateway(engine, {
    database: options.database,
    login: "path" in listen ? null : listen,
    bodies: await InsertBodies.open(bodies),
  });
  // A run that was killed leaves its socket behind.
  if ("path" in listen) await rm(listen.path, { force: true });
  server.listen(listen);
  await once(server, "listening");
  process.on("message", (message) => {
    if (message === STOP) stop(server, engine).catch(() => process.exit(1));
  });
  await tell({ type: "ready", repair });
};

main().catch(async (error: unknown) => {
  const reason = error instanceof EngineMissingError ? "missing" : "cannot_open";
  await tell({ type: "failed", reason, message: error instanceof Error ? error.message : String(error) });
  process.exit(1);
});

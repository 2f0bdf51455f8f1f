import type { Port } from "../../adapters/threads/channel.ts";
import { hostControl } from "../../adapters/threads/control.ts";
import { hostLog } from "../../adapters/threads/log-host.ts";
import type { Config } from "../../config/config.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LogAndControl } from "../engines.ts";

/**
 * Lets the thread at the other end of `port` use the log and control data where they are embedded, until the function
 * given is called. Of a server it has a client of its own, and would listen to nothing of this.
 */
export const hostEmbedded = (
  { log, control }: LogAndControl,
  { engines }: Pick<Config, "engines">,
  port: Port,
  clock: Clock,
): (() => void) => {
  const ends = [
    ...(engines.kafka === null ? [hostLog(log, port, clock)] : []),
    ...(engines.postgres === null ? [hostControl(control, port)] : []),
  ];
  return () => {
    for (const end of ends) end();
  };
};

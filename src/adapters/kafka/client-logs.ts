import { type logCreator, logLevel } from "kafkajs";
import type { Logger } from "../../ports/telemetry.ts";

/** What kafkajs says of a mistake in this program's own listeners; all else it reports is told by us, by name, where
 * it has consequences. Its errors during a mere restart of a broker run to hundreds of lines. */
const OUR_MISTAKE = "Failed to execute listener";

/** Sends what kafkajs logs to `log`, without stack traces and at level debug. */
export const clientLogs =
  (log: Logger): logCreator =>
  () =>
  ({ namespace, level, log: entry }) => {
    const { message, broker, groupId, error } = entry;
    const fields = { namespace, broker, groupId, error, said: message };
    if (level === logLevel.ERROR && message.startsWith(OUR_MISTAKE)) log.error(fields, "kafka_client");
    else log.debug(fields, "kafka_client");
  };

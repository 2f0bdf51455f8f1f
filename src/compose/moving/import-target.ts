import type { ControlStore } from "../../ports/control-store.ts";
import type { EventLog } from "../../ports/event-log.ts";
import type { Engines } from "../engines.ts";
import { StartError } from "../start-error.ts";
import { LOG_ID } from "../succession.ts";
import { type ImportFact, readImport, writeImport } from "./import-fact.ts";
import type { Manifest } from "./manifest.ts";

const ADVICE =
  "Import into engines that are empty: another DATA_DIR, KAFKA_TOPIC_PREFIX, database and CLICKHOUSE_DATABASE.";

const isLogEmpty = async (log: EventLog): Promise<boolean> => {
  for (const topic of ["readings", "events", "sources"] as const)
    if ((await log.bounds(topic)).some(({ end }) => end > 0)) return false;
  return true;
};

const isControlEmpty = async ({ facts, transfer }: ControlStore): Promise<boolean> => {
  if ((await facts.get(LOG_ID)) !== null) return false;
  // Opening leaves facts.
  for (const table of transfer.tables)
    if (table !== "fact" && (await transfer.count(table)) > 0) return false;
  return true;
};

const refuseOthersData = async ({ log, control, timeSeries }: Engines): Promise<void> => {
  const counts = Object.values(await timeSeries.transfer.counts());
  const held = [
    (await isControlEmpty(control)) ? [] : ["control data"],
    (await isLogEmpty(log)) ? [] : ["the event log"],
    counts.every((count) => count === 0) ? [] : ["the time series"],
  ].flat();
  if (held.length === 0) return;
  throw new StartError(
    `There is data of another installation here already, in: ${held.join(", ")}. Nothing was changed.\n${ADVICE}`,
  );
};

const markOf = (archive: string): string => `import-${archive}`;

/** An import that was begun goes on in the engines where it was begun, all three of them. */
const refuseStrangers = async (fact: ImportFact, { log, timeSeries }: Engines): Promise<void> => {
  const other =
    fact.logId !== log.logId
      ? "event log"
      : (await timeSeries.isMarked(markOf(fact.archive)))
        ? null
        : "time series";
  if (other === null) return;
  throw new StartError(
    `This import was begun with another ${other} beside this control data.\nSet the same engines as then, or begin anew. ${ADVICE}`,
  );
};

/** How far the import of this archive is; begins it where everything is empty, and throws StartError where it is not. */
export const beginImport = async ({ id: archive }: Manifest, engines: Engines): Promise<ImportFact> => {
  const { log, control, timeSeries } = engines;
  const begun = await readImport(control);
  if (begun !== null && begun.archive !== archive)
    throw new StartError(
      `Another archive was imported here, ${begun.archive}; this one is ${archive}.\n${ADVICE}`,
    );
  if (begun !== null) {
    if (!begun.finished) await refuseStrangers(begun, engines);
    return begun;
  }
  await refuseOthersData(engines);
  await timeSeries.mark(markOf(archive));
  const fact = { archive, logId: log.logId, steps: 0, finished: false };
  await writeImport(control, fact);
  return fact;
};

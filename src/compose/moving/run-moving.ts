import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { isSealedUnder } from "../../adapters/control/key-check.ts";
import { readSecretKey } from "../../adapters/control/secret-key.ts";
import { systemClock, systemEntropy } from "../../adapters/system/clock.ts";
import { MARKED_BY_ALL_MEMORY, setHeapPace } from "../../adapters/system/heap.ts";
import { type Config, readConfig } from "../../config/config.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { telemetryAt } from "../../telemetry/telemetry.ts";
import { placesText } from "../banner.ts";
import { type DataDirectory, openDataDirectory } from "../data-directory.ts";
import { closeEngines, type Engines, joinEngines, openAll } from "../engines.ts";
import { StartError, startErrorReason } from "../start-error.ts";
import { LOG_ID } from "../succession.ts";
import { exportTo } from "./export.ts";
import { importFrom } from "./import.ts";
import { refuseOccupied } from "./journal.ts";
import { checkFiles, type Manifest, readManifest } from "./manifest.ts";
import { refuseOthersAtWork } from "./quiet.ts";
import { counted, type Terminal, terminal } from "./terminal.ts";

type Command = "export" | "import";

interface Moving {
  /** Of the archive. */
  readonly archive: string;
  readonly config: Config;
  readonly surroundings: Surroundings;
  readonly terminal: Terminal;
}

const isEmbedded = ({ engines }: Config): boolean =>
  Object.values(engines).some((settings) => settings === null);

type WithEngines = (engines: Engines, directory: DataDirectory | null) => Promise<void>;

/** Opens the engines of the configuration for this process alone, does `work`, and closes them. */
const withEngines = async (moving: Moving, work: WithEngines): Promise<void> => {
  const stack = new AsyncDisposableStack();
  try {
    await openInto(stack, moving, work);
  } finally {
    await stack.disposeAsync();
  }
};

const openInto = async (
  stack: AsyncDisposableStack,
  { config, surroundings, terminal: { say } }: Moving,
  work: WithEngines,
): Promise<void> => {
  const directory = isEmbedded(config) ? await openDataDirectory(config.DATA_DIR) : null;
  stack.defer(() => directory?.release());
  say(`  ${placesText(config, directory)}`);
  const engines = stack.adopt(await openAll(directory, config, surroundings, null), closeEngines);
  const lock = await engines.control.locks.tryLock("moving");
  if (lock === null) throw new StartError("Another export or import is at work on these engines.");
  stack.defer(() => lock.release());
  await work(engines, directory);
};

const refuseNothing = (nothing: boolean, config: Config): void => {
  if (nothing)
    throw new StartError(
      `There is no data to export here: no service has run with these settings (DATA_DIR=${config.DATA_DIR}).`,
    );
};

const exportedText = (archive: string, { DATA_DIR, SECRET_KEY, engines }: Config): string => {
  const file = join(resolve(DATA_DIR), "secret.key");
  const key =
    SECRET_KEY === undefined && engines.postgres === null
      ? `Take the key along, without which nothing can be imported: copy ${file}\n     into the new DATA_DIR, or set SECRET_KEY to what it holds.`
      : "Set the same SECRET_KEY there.";
  return [
    "",
    `The archive is in ${archive}. Next:`,
    "  1. Leave the service here stopped: two of them would both tell of the same signals.",
    `  2. ${key}`,
    "  3. Set the new engines (PARTITIONS, KAFKA_BROKERS, DATABASE_URL, CLICKHOUSE_URL …), and import:",
    `     npm run import -- ${archive}`,
    "",
  ].join("\n");
};

const runExport = async (moving: Moving): Promise<void> => {
  const { archive, config, surroundings, terminal: told } = moving;
  await refuseOccupied(archive);
  const control = join(resolve(config.DATA_DIR), "control.db");
  refuseNothing(config.engines.postgres === null && !existsSync(control), config);
  await withEngines(moving, async (opened, directory) => {
    const logId = await opened.control.facts.get(LOG_ID);
    refuseNothing(logId === null, config);
    // A start would take an empty log for the successor of one that was lost: what the old one holds would be left out.
    if (logId !== opened.log.logId)
      throw new StartError(
        "The event log is not the one that control data was kept beside.\nSet what the service ran with (KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, DATA_DIR); if that log is lost, start the service once before.",
      );
    await refuseOthersAtWork(opened, surroundings);
    const engines = await joinEngines(opened, directory, surroundings);
    await exportTo(archive, engines, surroundings, told);
  });
  told.say(exportedText(archive, config));
};

/** Before anything is written, the target's own key included. */
const refuseOtherKey = async (
  { secretKeyCheck }: Manifest,
  { config, surroundings }: Moving,
): Promise<void> => {
  const path = join(resolve(config.DATA_DIR), "secret.key");
  const key = config.SECRET_KEY ?? (await readSecretKey(path));
  if (key !== null && isSealedUnder(key, secretKeyCheck, surroundings.entropy)) return;
  const here = key === null ? "and none is set here" : "not under the one that is set here";
  const copy = config.engines.postgres === null ? `, or copy that file to ${path}` : "";
  throw new StartError(
    `The secrets in this archive are sealed under the SECRET_KEY of the installation it came from, ${here}.\n` +
      `Set SECRET_KEY to that one (without SECRET_KEY it is in secret.key of the old data directory)${copy}.`,
  );
};

const checkArchive = async (archive: string, manifest: Manifest, told: Terminal): Promise<void> => {
  const step = told.step("archive");
  let bytes = 0;
  await checkFiles(archive, manifest, (more) => {
    bytes += more;
    step.at(`${counted(Math.ceil(bytes / 2 ** 20))} MiB looked through`);
  });
  step.done(`${counted(Math.ceil(bytes / 2 ** 20))} MiB, exported ${manifest.exportedAt}, sound`);
};

const runImport = async (moving: Moving): Promise<void> => {
  const { archive, surroundings, terminal: told } = moving;
  const manifest = await readManifest(archive);
  await refuseOtherKey(manifest, moving);
  await checkArchive(archive, manifest, told);
  await withEngines(moving, (engines) => importFrom(archive, manifest, engines, surroundings, told));
  told.say("\nEverything is here. Next, with the same settings: npm start\n");
};

const COMMANDS: Readonly<Record<Command, (moving: Moving) => Promise<void>>> = {
  export: runExport,
  import: runImport,
};

/** What ends by itself or by making room, and is no reason to begin anew. */
const PASSING = new Set(["TimeSeriesUnavailableError", "ControlUnavailableError", "LogUnavailableError"]);
const isPassing = (error: Error): boolean =>
  PASSING.has(error.name) || ("code" in error && error.code === "ENOSPC");

const reasonOf = (error: unknown): string =>
  error instanceof Error && isPassing(error)
    ? `${error.message}\nRun it again when that is mended: it goes on where it was.`
    : startErrorReason(error);

const failureText = (command: Command, reason: string): string =>
  `The ${command} has not been finished.\n${reason.replaceAll(/^/gm, "  ")}\n`;

const movingOf = (command: Command, names: readonly string[]): Moving => {
  const [archive] = names;
  if (archive === undefined || names.length > 1)
    throw new StartError(`Name one directory for the archive: npm run ${command} -- ./archive`);
  // Nothing is applied to what is moved, and who moves it may not have the file's secrets.
  const environment = { ...process.env, CONFIG_FILE: undefined };
  const outcome = readConfig(environment, (path) => readFileSync(path, "utf8"));
  if ("mistakes" in outcome)
    throw new StartError(
      outcome.mistakes.map(({ variable, message }) => `${variable} ${message}`).join("\n"),
    );
  const { config } = outcome;
  if (config.engines.kafka !== null) setHeapPace(MARKED_BY_ALL_MEMORY);
  const surroundings = {
    clock: systemClock,
    entropy: systemEntropy,
    telemetry: telemetryAt(config.LOG_LEVEL),
  };
  return { archive: resolve(archive), config, surroundings, terminal: terminal(process.stdout, systemClock) };
};

/** Does one of the two commands with what stands on the command line; never throws: what is wrong is told, and the exit code set. */
export const runMoving = async (command: Command, names: readonly string[]): Promise<void> => {
  try {
    await COMMANDS[command](movingOf(command, names));
    process.exit(0);
  } catch (error) {
    process.stderr.write(failureText(command, reasonOf(error)));
    process.exit(1);
  }
};

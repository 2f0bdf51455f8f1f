import type { PostgresSettings } from "../config/engines.ts";
import { PIPELINE } from "./pipeline.ts";

/** One for what waits for a row, one for what it waits for. */
const EACH_MIN = 2;
/** Of the whole, for each worker in a thread of its own: the API and deliveries, in the main thread, ask for most. */
const THREAD_SHARE = 0.2;

const ofThread = (connectionsMax: number): number =>
  Math.max(EACH_MIN, Math.floor(connectionsMax * THREAD_SHARE));

/** What a worker's thread may have of the connections of its process, as a pool of its own. */
export const connectionsOfThread = (settings: PostgresSettings): PostgresSettings => ({
  ...settings,
  connectionsMax: ofThread(settings.connectionsMax),
});

/** What is left for the main thread of a process that runs all workers. */
export const connectionsBesideThreads = (settings: PostgresSettings): PostgresSettings => {
  const rest = settings.connectionsMax - PIPELINE.length * ofThread(settings.connectionsMax);
  return { ...settings, connectionsMax: Math.max(EACH_MIN, rest) };
};

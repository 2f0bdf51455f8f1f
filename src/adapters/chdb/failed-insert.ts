import { hasPhantoms, type RunStatement } from "./deduplication-repair.ts";
import { type Engine, EngineBusyError } from "./engine.ts";

/**
 * An insert can fail after the engine noted its block and before the part was in place (the disk, or memory); tried
 * again, it would be taken for a duplicate and lost. Then `end` is called instead of answering: it ends the process,
 * the next one repairs the log, and the client, left without an answer, sends the insert again.
 */
export const endingAtPhantoms = (
  engine: Engine,
  run: RunStatement,
  database: string,
  end: (reason: string) => void,
): Engine => ({
  ...engine,
  insert: async (...insert) => {
    try {
      return await engine.insert(...insert);
    } catch (error) {
      // Refused before it began.
      if (error instanceof EngineBusyError) throw error;
      const found = await hasPhantoms(run, database).catch((reason: unknown) => String(reason));
      if (found !== false) end(`a failed insert left its block in the deduplication log (${found})`);
      throw error;
    }
  },
});

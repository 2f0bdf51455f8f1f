import { z } from "zod";
import type { ControlStore } from "../../ports/control-store.ts";
import { StartError } from "../start-error.ts";

export const IMPORT_FACT = "import";

const ImportFact = z.strictObject({
  /** Id of the archive, and of the log that its data goes on in. */
  archive: z.string(),
  logId: z.string(),
  /** How many steps are done for good; a step of more may be done, too. */
  steps: z.int().min(0),
  finished: z.boolean(),
});
export type ImportFact = z.infer<typeof ImportFact>;

/** What control data says of an import into it; null: there was none. */
export const readImport = async ({ facts }: ControlStore): Promise<ImportFact | null> => {
  const text = await facts.get(IMPORT_FACT);
  return text === null ? null : ImportFact.parse(JSON.parse(text));
};

export const writeImport = ({ facts }: ControlStore, fact: ImportFact): Promise<void> =>
  facts.set(IMPORT_FACT, JSON.stringify(fact));

/** Nobody may work on what is there in part. Throws StartError. */
export const refuseHalfImported = async (control: ControlStore): Promise<void> => {
  const fact = await readImport(control);
  if (fact === null || fact.finished) return;
  throw new StartError(
    "An import into these engines was begun and is not finished.\nFinish it with the same archive: npm run import -- ./archive",
  );
};

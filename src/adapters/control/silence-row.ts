import { z } from "zod";
import { SilenceDefinition } from "../../../schemas/silence.ts";
import type { StoredSilence } from "../../ports/alerts.ts";
import type { SilenceRow } from "./tables.ts";

const KeptSilence = z.strictObject({
  definition: SilenceDefinition,
  createdBy: z.string(),
  createdAt: z.number(),
  updatedAt: z.number(),
});

export const storedOf = (row: SilenceRow): StoredSilence => ({
  accountId: row.account_id,
  revision: row.revision,
  ...KeptSilence.parse(JSON.parse(row.silence)),
});

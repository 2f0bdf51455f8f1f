import type { AccountId } from "../../../schemas/common.ts";
import type { DeclaredFile } from "../../config/declared.ts";
import { ONE } from "../../declared/file.ts";
import { OPEN_VIEW, planned, type Refusal } from "../../declared/plan.ts";
import { NOWHERE } from "../../ports/audit.ts";
import type { Changed, ControlStore } from "../../ports/control-store.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import { type Made, makeAll } from "./make.ts";
import { storedOf } from "./stored.ts";

/** How many things of the file were made, changed, and could not be as it wants them. */
export interface Applied {
  readonly created: number;
  readonly changed: number;
  readonly refused: number;
}

interface Target extends Pick<Surroundings, "telemetry"> {
  readonly control: ControlStore;
  readonly accountId: AccountId;
  /** Aborted when another may be starting by now. */
  readonly lost: AbortSignal;
}

const reasonOf = (refused: Extract<Changed<never>, { ok: false }>): string =>
  "message" in refused ? `${refused.path} ${refused.message}`.trim() : "it was deleted at this very moment";

/** Names of fields only: their values may be secrets. */
const told = (change: Made): object => ({
  kind: ONE[change.kind],
  key: change.key,
  ...(change.action === "update" && {
    id: change.id,
    fields: change.fields.map(({ field }) => field),
  }),
});

const NOT_WHOLE = "config_file_refused";

/**
 * Makes the account have what the file names, and leaves alone what it does not. What is as the file wants it keeps its
 * revision. What cannot be, because of what is there, is told and left as it is: somebody who makes a second rule of a
 * name must not keep the service from starting.
 */
export const applyDeclared = async (
  { wanted, path }: DeclaredFile,
  { control, accountId, lost, telemetry: { log, metrics } }: Target,
): Promise<Applied> => {
  const present = await storedOf(control, accountId, wanted);
  const plan = planned(wanted, present, { prune: false, view: OPEN_VIEW });
  const refusals: Refusal[] = [...plan.refusals];
  const counts = { create: 0, update: 0 };
  const changes = plan.changes.filter((change) => change.action !== "delete");
  const byFile = control.by({ actor: { kind: "service", id: null, name: "CONFIG_FILE" }, origin: NOWHERE });
  for await (const [change, done] of makeAll(byFile, accountId, changes, lost)) {
    if (!done.ok) {
      refusals.push({ kind: change.kind, key: change.key, message: reasonOf(done) });
      continue;
    }
    counts[change.action]++;
    log.info(told(change), change.action === "create" ? "config_file_created" : "config_file_changed");
  }
  for (const { kind, key, message } of refusals)
    log.error({ kind: ONE[kind], key, reason: message }, NOT_WHOLE);
  metrics
    .gauge(NOT_WHOLE, "Entries of CONFIG_FILE that the last start could not apply.")
    .set(refusals.length);
  const applied = { created: counts.create, changed: counts.update, refused: refusals.length };
  log.info({ path, ...applied }, "config_file_applied");
  return applied;
};

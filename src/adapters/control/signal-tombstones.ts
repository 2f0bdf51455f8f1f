import type { AccountId, SignalId } from "../../../schemas/common.ts";
import { type ControlTransaction, slices } from "./engine.ts";

const TOMBSTONE_MS = 24 * 3_600_000;

export interface DeletedSignal {
  readonly signalId: SignalId;
  readonly accountId: AccountId;
  readonly revision: number;
}

/** A few more than one deletion adds, so that they never pile up and no deletion pays for many. */
const forgetTombstones = async (trx: ControlTransaction, now: number, added: number): Promise<void> => {
  const expired = trx
    .selectFrom("signal_tombstone")
    .select("signal_id")
    .where("expires_at", "<=", now)
    .limit(100 + added);
  await trx.deleteFrom("signal_tombstone").where("signal_id", "in", expired).execute();
};

/** Remembers signals that were deleted for 24 h, and forgets those of earlier. */
export const leaveTombstones = async (
  trx: ControlTransaction,
  now: number,
  deleted: readonly DeletedSignal[],
): Promise<void> => {
  await forgetTombstones(trx, now, deleted.length);
  for (const slice of slices(deleted)) {
    const rows = slice.map(({ signalId, accountId, revision }) => ({
      signal_id: signalId,
      account_id: accountId,
      revision,
      expires_at: now + TOMBSTONE_MS,
    }));
    await trx.insertInto("signal_tombstone").values(rows).execute();
  }
};

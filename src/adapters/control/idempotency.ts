import type { Claim, ClaimId, Idempotency } from "../../ports/control-store.ts";
import { newUlid } from "./changed.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { inTransaction } from "./transaction.ts";

const LEASE_MS = 60_000;
const KEPT_MS = 24 * 3_600_000;
/** More than one request adds, so that they never pile up and no request pays for many. */
const FORGOTTEN_AT_ONCE = 20;

const ownerOf = ({ accountId, key }: Pick<ClaimId, "accountId" | "key">): string =>
  `idempotency ${accountId} ${key}`;

const forgetExpired = async (trx: ControlTransaction, now: number): Promise<void> => {
  const expired = await trx
    .selectFrom("idempotency_key")
    .select(["account_id", "key"])
    .where("expires_at", "<=", now)
    .orderBy("expires_at")
    .limit(FORGOTTEN_AT_ONCE)
    .execute();
  for (const { account_id, key } of expired)
    await trx
      .deleteFrom("idempotency_key")
      .where("account_id", "=", account_id)
      .where("key", "=", key)
      .where("expires_at", "<=", now)
      .execute();
};

/** What the key stands for already, when it is not ours to take. */
const found = (
  { sealer }: ControlContext,
  row: { fingerprint: Uint8Array; lease_until: number; result: Uint8Array | null },
  asked: Pick<ClaimId, "accountId" | "key"> & { fingerprint: Uint8Array; now: number },
): Claim | null => {
  if (Buffer.compare(row.fingerprint, asked.fingerprint) !== 0) return { state: "mismatch" };
  if (row.result !== null) return { state: "finished", result: sealer.open(ownerOf(asked), row.result) };
  return row.lease_until > asked.now
    ? { state: "running", leaseEndsInMs: row.lease_until - asked.now }
    : null;
};

const claim = (
  context: ControlContext,
  ...[accountId, key, fingerprint]: Parameters<Idempotency["claim"]>
): Promise<Claim> =>
  inTransaction(context, async (trx): Promise<Claim> => {
    const now = context.clock.now();
    await forgetExpired(trx, now);
    const token = newUlid(context);
    const mine = { fingerprint, claim: token, lease_until: now + LEASE_MS, expires_at: now + KEPT_MS };
    const added = await trx
      .insertInto("idempotency_key")
      .values({ account_id: accountId, key, ...mine, result: null })
      .onConflict((conflict) => conflict.columns(["account_id", "key"]).doNothing())
      .executeTakeFirst();
    const claimed: Claim = { state: "claimed", claim: { accountId, key, token } };
    if (added.numInsertedOrUpdatedRows === 1n) return claimed;
    const row = await trx
      .selectFrom("idempotency_key")
      .selectAll()
      .where("account_id", "=", accountId)
      .where("key", "=", key)
      .$if(context.engine.rowLocks, (query) => query.forUpdate())
      .executeTakeFirst();
    // Let go of between the two statements: whoever comes next finds it free.
    if (row === undefined) return { state: "running", leaseEndsInMs: 0 };
    const other = found(context, row, { accountId, key, fingerprint, now });
    if (other !== null) return other;
    await trx
      .updateTable("idempotency_key")
      .set(mine)
      .where("account_id", "=", accountId)
      .where("key", "=", key)
      .execute();
    return claimed;
  });

export const createIdempotency = (context: ControlContext): Idempotency => ({
  claim: (...request) => claim(context, ...request),
  finish: async ({ accountId, key, token }, result) => {
    const { numUpdatedRows } = await context.db
      .updateTable("idempotency_key")
      .set({ result: context.sealer.seal(ownerOf({ accountId, key }), result) })
      .where("account_id", "=", accountId)
      .where("key", "=", key)
      .where("claim", "=", token)
      .where("result", "is", null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  },
  release: async ({ accountId, key, token }) => {
    await context.db
      .deleteFrom("idempotency_key")
      .where("account_id", "=", accountId)
      .where("key", "=", key)
      .where("claim", "=", token)
      .where("result", "is", null)
      .execute();
  },
  suspend: async ({ accountId, key, token }) => {
    await context.db
      .updateTable("idempotency_key")
      .set({ lease_until: 0 })
      .where("account_id", "=", accountId)
      .where("key", "=", key)
      .where("claim", "=", token)
      .execute();
  },
});

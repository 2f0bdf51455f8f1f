import { sql } from "kysely";
import type { Lane, Lanes } from "../../ports/webhooks.ts";
import type { ControlContext } from "./engine.ts";
import { saveProgress } from "./lane-progress.ts";
import type { LaneRow } from "./tables.ts";
import { inTransaction } from "./transaction.ts";
import { circuitOf } from "./webhook-row.ts";

/** Who lives asks every few seconds. One that died is no longer counted by the time its lanes are free. */
const COUNTED_MS = 10_000;

const laneOf = (row: LaneRow): Lane => ({
  webhookId: row.webhook_id,
  fence: row.fence,
  circuit: circuitOf(row),
});

/** So that others leave a share to who holds none yet. */
const count = async ({ clock }: ControlContext, db: ControlContext["db"], owner: string): Promise<void> => {
  const countedUntil = clock.now() + COUNTED_MS;
  await db
    .insertInto("webhook_sender")
    .values({ owner, lease_until: countedUntil })
    .onConflict((conflict) => conflict.column("owner").doUpdateSet({ lease_until: countedUntil }))
    .execute();
};

const takeLanes = (
  context: ControlContext,
  ...[owner, max, leaseMs]: Parameters<Lanes["take"]>
): Promise<Lane[]> =>
  inTransaction(context, async (trx) => {
    const now = context.clock.now();
    await count(context, trx, owner);
    const free = await trx
      .selectFrom("webhook_lane")
      .select("webhook_id")
      .where("enabled", "=", 1)
      .where("lease_until", "<=", now)
      .orderBy("webhook_id")
      .limit(max)
      // Two that take at once take different ones, and neither waits.
      .$if(context.engine.rowLocks, (query) => query.forUpdate().skipLocked())
      .execute();
    if (free.length === 0) return [];
    const rows = await trx
      .updateTable("webhook_lane")
      .set((lane) => ({ owner, fence: lane("fence", "+", 1), lease_until: now + leaseMs }))
      .where(
        "webhook_id",
        "in",
        free.map(({ webhook_id }) => webhook_id),
      )
      .returningAll()
      .execute();
    return rows.map(laneOf);
  });

export const createLanes = (context: ControlContext): Lanes => {
  const { db, clock } = context;
  const mine = (owner: string) => db.updateTable("webhook_lane").where("owner", "=", owner);
  return {
    take: (owner, max, leaseMs) => takeLanes(context, owner, max, leaseMs),
    renew: async (owner, leaseMs) => {
      await count(context, db, owner);
      const rows = await mine(owner)
        .set({ lease_until: clock.now() + leaseMs })
        .returning(["webhook_id", "fence"])
        .execute();
      return new Map(rows.map(({ webhook_id, fence }) => [webhook_id, fence]));
    },
    release: async (owner, webhookIds) => {
      if (webhookIds?.length === 0) return;
      await mine(owner)
        .set({ owner: null, lease_until: 0 })
        .$if(webhookIds !== undefined, (query) => query.where("webhook_id", "in", webhookIds ?? []))
        .execute();
      if (webhookIds !== undefined) return;
      // With those that died before.
      await db
        .deleteFrom("webhook_sender")
        .where((row) => row.or([row("owner", "=", owner), row("lease_until", "<=", clock.now())]))
        .execute();
    },
    census: async (owner) => {
      const number = sql<number>`count(*)`.as("number");
      const lanes = await db
        .selectFrom("webhook_lane")
        .select(number)
        .where("enabled", "=", 1)
        .executeTakeFirstOrThrow();
      const others = await db
        .selectFrom("webhook_sender")
        .select(number)
        .where("owner", "<>", owner)
        .where("lease_until", ">", clock.now())
        .executeTakeFirstOrThrow();
      return { lanes: Number(lanes.number), others: Number(others.number) };
    },
    save: (progress) =>
      progress.length === 0 ? Promise.resolve(new Set()) : saveProgress(context, progress),
  };
};

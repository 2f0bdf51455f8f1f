import { sql } from "kysely";
import type { PersonId } from "../../../../schemas/common.ts";
import { CHALLENGE_MS, CHALLENGE_TRIES } from "../../../domain/access/limits.ts";
import type { Attempts, Challenges } from "../../../ports/access.ts";
import type { ControlContext } from "../engine.ts";
import { inTransaction } from "../transaction.ts";

export const createChallenges = ({ db, clock, sealer }: ControlContext): Challenges => {
  const hashOf = (token: string): Uint8Array => sealer.keyedHash(`challenge ${token}`);
  return {
    create: async (token, personId) => {
      const row = {
        hash: hashOf(token),
        person_id: personId,
        tries: 0,
        expires_at: clock.now() + CHALLENGE_MS,
      };
      await db.insertInto("challenge").values(row).execute();
    },
    try: async (token): Promise<PersonId | null> => {
      const row = await db
        .updateTable("challenge")
        .set((challenge) => ({ tries: challenge("tries", "+", 1) }))
        .where("hash", "=", hashOf(token))
        .where("tries", "<", CHALLENGE_TRIES)
        .where("expires_at", ">", clock.now())
        .returning("person_id")
        .executeTakeFirst();
      return row?.person_id ?? null;
    },
    end: async (token) => {
      const ended = db.deleteFrom("challenge").where("hash", "=", hashOf(token));
      return (await ended.executeTakeFirst()).numDeletedRows === 1n;
    },
    drop: async (personId) => {
      await db.deleteFrom("challenge").where("person_id", "=", personId).execute();
    },
  };
};

type Counted = Parameters<Attempts["count"]>[0];

export const createAttempts = (context: ControlContext): Attempts => {
  const { clock, sealer } = context;
  /** In one order, so that two that count the same never wait for each other. */
  const ordered = (attempts: Counted) =>
    attempts
      .map(({ name, limit }) => ({ hash: Buffer.from(sealer.keyedHash(`attempt ${name}`)), limit }))
      .sort((a, b) => Buffer.compare(a.hash, b.hash) || a.limit.windowMs - b.limit.windowMs);
  return {
    count: (attempts) =>
      inTransaction(context, async (trx) => {
        const now = clock.now();
        let waitMs: number | null = null;
        for (const { hash, limit } of ordered(attempts)) {
          const fresh = now + limit.windowMs;
          // Over, or begun before the clock was set back; by a window and more, as those that wait for each other here
          // each asked the time before, and the clocks of several machines differ, too.
          const setBack = fresh + limit.windowMs;
          const isOver = sql<boolean>`attempt_count.until <= ${now} or attempt_count.until > ${setBack}`;
          const { count, until } = await trx
            .insertInto("attempt_count")
            .values({ name: hash, window_ms: limit.windowMs, count: 1, until: fresh })
            .onConflict((conflict) =>
              conflict.columns(["name", "window_ms"]).doUpdateSet({
                count: sql<number>`case when ${isOver} then 1 else attempt_count.count + 1 end`,
                until: sql<number>`case when ${isOver} then ${fresh} else attempt_count.until end`,
              }),
            )
            .returning(["count", "until"])
            .executeTakeFirstOrThrow();
          if (count > limit.max) waitMs = Math.max(waitMs ?? 0, until - now);
        }
        return waitMs;
      }),
    uncount: (attempts) =>
      inTransaction(context, async (trx) => {
        for (const { hash, limit } of ordered(attempts))
          await trx
            .updateTable("attempt_count")
            .set((row) => ({ count: row("count", "-", 1) }))
            .where("name", "=", hash)
            .where("window_ms", "=", limit.windowMs)
            .where("count", ">", 0)
            .execute();
      }),
    forget: (attempts) =>
      inTransaction(context, async (trx) => {
        for (const { hash, limit } of ordered(attempts))
          await trx
            .deleteFrom("attempt_count")
            .where("name", "=", hash)
            .where("window_ms", "=", limit.windowMs)
            .execute();
      }),
  };
};

import type { Selectable } from "kysely";
import { SessionId } from "../../../../schemas/common.ts";
import { SESSION_IDLE_MS, SESSION_MS, USER_AGENT_MAX } from "../../../domain/access/limits.ts";
import type { OpenSession, Session, Sessions } from "../../../ports/access.ts";
import { note } from "../audit.ts";
import { newUlid } from "../changed.ts";
import type { ControlContext } from "../engine.ts";
import type { ControlTables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

/** Requests that were under way when the token changed. */
const BEFORE_MS = 10_000;

type Row = Omit<Selectable<ControlTables["session"]>, "hash" | "hash_before" | "before_until">;

const hashName = (token: string): string => `session ${token}`;

const sessionOf = (row: Row): Session => ({
  id: row.id,
  personId: row.person_id,
  accountId: row.account_id,
  hasSecondFactor: row.second_factor === 1,
  provenAt: row.proven_at,
  userAgent: row.user_agent,
  address: row.address,
  createdAt: row.created_at,
  lastSeenAt: row.last_seen_at,
});

export const createSessions = (context: ControlContext): Sessions => {
  const { db, clock, sealer } = context;
  const hashOf = (token: string): Uint8Array => sealer.keyedHash(hashName(token));
  /** With what they open; a role only where it holds now. */
  const opened = () => {
    const now = clock.now();
    return db
      .selectFrom("session")
      .innerJoin("person", "person.id", "session.person_id")
      .leftJoin("membership", (join) =>
        join
          .onRef("membership.account_id", "=", "session.account_id")
          .onRef("membership.person_id", "=", "session.person_id")
          .on("membership.suspended_at", "is", null),
      )
      .leftJoin("account", "account.id", "session.account_id")
      .selectAll("session")
      .select(["person.email", "membership.role", "account.second_factor_required"])
      .where("session.last_seen_at", ">", now - SESSION_IDLE_MS)
      .where("session.created_at", ">", now - SESSION_MS);
  };
  const openOf = (
    row: Awaited<ReturnType<ReturnType<typeof opened>["executeTakeFirstOrThrow"]>>,
  ): OpenSession => ({
    ...sessionOf(row),
    email: row.email,
    role: row.role,
    mustSetUpSecondFactor: row.second_factor_required === 1 && row.second_factor === 0,
    isStale: row.is_stale === 1,
  });
  return {
    create: async (token, { personId, accountId, hasSecondFactor, userAgent, address }) => {
      const now = clock.now();
      const row = {
        id: SessionId.parse(`ses_${newUlid(context)}`),
        hash: hashOf(token),
        hash_before: null,
        before_until: null,
        person_id: personId,
        account_id: accountId,
        second_factor: hasSecondFactor ? 1 : 0,
        is_stale: 0,
        proven_at: now,
        user_agent: userAgent.slice(0, USER_AGENT_MAX).toWellFormed(),
        address,
        created_at: now,
        last_seen_at: now,
      };
      await db.insertInto("session").values(row).execute();
      return sessionOf(row);
    },
    find: async (token) => {
      const hash = hashOf(token);
      const row = await opened()
        .where(({ or, and, eb }) =>
          or([
            eb("session.hash", "=", hash),
            and([eb("session.hash_before", "=", hash), eb("session.before_until", ">", clock.now())]),
          ]),
        )
        .executeTakeFirst();
      return row === undefined ? null : openOf(row);
    },
    get: async (id) => {
      const row = await opened().where("session.id", "=", id).executeTakeFirst();
      return row === undefined ? null : openOf(row);
    },
    list: async (personId) => {
      const rows = await opened()
        .where("session.person_id", "=", personId)
        .orderBy("session.last_seen_at", "desc")
        .orderBy("session.id")
        .execute();
      return rows.map(sessionOf);
    },
    rotate: async (token, next) => {
      const { numUpdatedRows } = await db
        .updateTable("session")
        .set({
          hash: hashOf(next),
          hash_before: hashOf(token),
          before_until: clock.now() + BEFORE_MS,
          is_stale: 0,
        })
        .where("hash", "=", hashOf(token))
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    proven: async (id, hasSecondFactor = false) => {
      const proof = { proven_at: clock.now(), ...(hasSecondFactor ? { second_factor: 1 } : {}) };
      await db.updateTable("session").set(proof).where("id", "=", id).execute();
    },
    enter: async (id, accountId) => {
      await db.updateTable("session").set({ account_id: accountId }).where("id", "=", id).execute();
    },
    seen: async (at) => {
      if (at.size === 0) return;
      await inTransaction(context, async (trx) => {
        for (const [id, seenAt] of [...at].sort(([a], [b]) => (a < b ? -1 : 1)))
          await trx
            .updateTable("session")
            .set({ last_seen_at: seenAt })
            .where("id", "=", id)
            .where("last_seen_at", "<", seenAt)
            .execute();
      });
    },
    end: (personId, id) =>
      inTransaction(context, async (trx) => {
        const ended = trx.deleteFrom("session").where("id", "=", id).where("person_id", "=", personId);
        const row = await ended.returningAll().executeTakeFirst();
        if (row === undefined) return false;
        const { email: name } = await trx
          .selectFrom("person")
          .select("email")
          .where("id", "=", personId)
          .executeTakeFirstOrThrow();
        // By its person, who is known on pages by this very session.
        const actor = { kind: "person", id: personId, name } as const;
        const target = { id, name: row.user_agent };
        await note(context, trx, [
          { action: "session.ended", accountId: row.account_id, personId, actor, target },
        ]);
        return true;
      }),
    endOthers: async (personId, but) => {
      await db
        .deleteFrom("session")
        .where("person_id", "=", personId)
        .$if(but !== null, (query) => query.where("id", "!=", but))
        .execute();
    },
  };
};

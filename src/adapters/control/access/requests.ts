import type { Selectable } from "kysely";
import { AccessRequestId } from "../../../../schemas/common.ts";
import { decodeCursor } from "../../../domain/cursor.ts";
import type { AccessRequest, AccessRequests } from "../../../ports/access.ts";
import { newUlid } from "../changed.ts";
import { afterId, pageOf } from "../cursor.ts";
import type { ControlContext } from "../engine.ts";
import type { ControlTables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

const requestOf = (row: Selectable<ControlTables["access_request"]>): AccessRequest => ({
  id: row.id,
  email: row.email,
  useCase: row.use_case,
  state: row.state,
  note: row.note,
  createdAt: row.created_at,
  decidedAt: row.decided_at,
});

export const createAccessRequests = (context: ControlContext): AccessRequests => {
  const { db, clock } = context;
  return {
    add: (email, useCase) =>
      inTransaction(context, async (trx) => {
        const waiting = await trx
          .updateTable("access_request")
          .set({ use_case: useCase })
          .where("email", "=", email)
          .where("state", "=", "pending")
          .returningAll()
          .executeTakeFirst();
        if (waiting !== undefined) return requestOf(waiting);
        const row = {
          id: AccessRequestId.parse(`acr_${newUlid(context)}`),
          email,
          use_case: useCase,
          state: "pending" as const,
          note: null,
          created_at: clock.now(),
          decided_at: null,
          reminded_at: null,
        };
        await trx.insertInto("access_request").values(row).execute();
        return requestOf(row);
      }),
    get: async (id) => {
      const row = await db.selectFrom("access_request").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : requestOf(row);
    },
    list: async ({ limit, cursor, state }) => {
      const after = cursor === undefined ? null : decodeCursor(afterId(AccessRequestId), cursor).id;
      const rows = await db
        .selectFrom("access_request")
        .selectAll()
        .$if(state !== undefined, (query) => query.where("state", "=", state ?? "pending"))
        .$if(after !== null, (query) => query.where("id", ">", after))
        .orderBy("id")
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, requestOf, ({ id }) => ({ id }));
    },
    decide: async (id, { state, note }) => {
      const row = await db
        .updateTable("access_request")
        .set({ state, note, decided_at: clock.now() })
        .where("id", "=", id)
        .where("state", "=", "pending")
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : requestOf(row);
    },
    remind: async (before) => {
      const rows = await db
        .updateTable("access_request")
        .set({ reminded_at: clock.now() })
        .where("state", "=", "pending")
        .where("created_at", "<", before)
        .where("reminded_at", "is", null)
        .returningAll()
        .execute();
      return rows.map(requestOf);
    },
  };
};

import { type Selectable, sql } from "kysely";
import { AccessRequestId } from "../../../../schemas/common.ts";
import { decodeCursor } from "../../../domain/cursor.ts";
import type { AccessRequest, AccessRequests } from "../../../ports/access.ts";
import { newUlid } from "../changed.ts";
import { afterId, pageOf } from "../cursor.ts";
import type { ControlContext } from "../engine.ts";
import type { ControlTables } from "../tables.ts";

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
    add: async (email, useCase) => {
      const row = {
        id: AccessRequestId.parse(`acr_${newUlid(context)}`),
        email,
        use_case: useCase,
        state: "pending",
        note: null,
        created_at: clock.now(),
        decided_at: null,
        reminded_at: null,
      } as const;
      const waiting = await db
        .insertInto("access_request")
        .values(row)
        .onConflict((conflict) =>
          conflict
            .column("email")
            .where("state", "=", sql.lit("pending"))
            // As it is: who asks again with somebody's address changes nothing of what that person wrote.
            .doUpdateSet({ use_case: sql.ref("access_request.use_case") }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      return requestOf(waiting);
    },
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

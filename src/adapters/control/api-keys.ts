import type { Selectable } from "kysely";
import { type AccountId, ApiKeyId } from "../../../schemas/common.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import type { ApiKeyRecord, ApiKeys, StoredApiKey, Tickets } from "../../ports/control-store.ts";
import { newUlid } from "./changed.ts";
import { afterId, pageOf } from "./cursor.ts";
import type { ControlContext } from "./engine.ts";
import type { ControlTables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

type Row = Pick<Selectable<ControlTables["api_key"]>, "id" | "account_id" | "scopes" | "expires_at">;

const storedOf = ({ id, account_id: accountId, scopes, expires_at: expiresAt }: Row): StoredApiKey => ({
  id,
  accountId,
  scopes: JSON.parse(scopes),
  expiresAt,
});

const recordOf = (row: Selectable<ControlTables["api_key"]>): ApiKeyRecord => ({
  ...storedOf(row),
  name: row.name,
  prefix: row.prefix,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

export const createApiKeys = (context: ControlContext): ApiKeys => {
  const { db } = context;
  const owned = (accountId: AccountId) =>
    db.selectFrom("api_key").selectAll().where("account_id", "=", accountId);
  return {
    findByHash: async (hash) => {
      const query = db.selectFrom("api_key").select(["id", "account_id", "scopes", "expires_at"]);
      const row = await query.where("hash", "=", hash).executeTakeFirst();
      return row === undefined ? null : storedOf(row);
    },
    create: async (accountId, { name, prefix, hash, scopes, expiresAt = null }) => {
      const id = ApiKeyId.parse(`key_${newUlid(context)}`);
      const row = {
        id,
        account_id: accountId,
        name,
        prefix,
        hash,
        scopes: JSON.stringify(scopes),
        created_at: context.clock.now(),
        expires_at: expiresAt,
        last_used_at: null,
      };
      await db.insertInto("api_key").values(row).execute();
      return recordOf(row);
    },
    list: async (accountId, { limit, cursor }) => {
      const after = cursor === undefined ? null : decodeCursor(afterId(ApiKeyId), cursor).id;
      const rows = await owned(accountId)
        .$if(after !== null, (query) => query.where("id", ">", after))
        .orderBy("id")
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, recordOf, ({ id }) => ({ id }));
    },
    get: async (accountId, id) => {
      const row = await owned(accountId).where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },
    revoke: async (accountId, id) => {
      const { numDeletedRows } = await db
        .deleteFrom("api_key")
        .where("id", "=", id)
        .where("account_id", "=", accountId)
        .executeTakeFirst();
      return numDeletedRows === 1n;
    },
    used: async (at) => {
      if (at.size === 0) return;
      await inTransaction(context, async (trx) => {
        for (const [id, usedAt] of [...at].sort(([a], [b]) => (a < b ? -1 : 1)))
          await trx
            .updateTable("api_key")
            .set({ last_used_at: usedAt })
            .where("id", "=", id)
            .where((eb) => eb.or([eb("last_used_at", "is", null), eb("last_used_at", "<", usedAt)]))
            .execute();
      });
    },
  };
};

export const createTickets = (context: ControlContext): Tickets => ({
  add: (hash, apiKeyId, expiresAt) =>
    inTransaction(context, async (trx) => {
      await trx.deleteFrom("stream_ticket").where("expires_at", "<=", context.clock.now()).execute();
      await trx
        .insertInto("stream_ticket")
        .values({ hash, api_key_id: apiKeyId, expires_at: expiresAt })
        .execute();
    }),
  redeem: async (hash) => {
    const ticket = await context.db
      .deleteFrom("stream_ticket")
      .where("hash", "=", hash)
      .returning(["api_key_id", "expires_at"])
      .executeTakeFirst();
    if (ticket === undefined || ticket.expires_at <= context.clock.now()) return null;
    const row = await context.db
      .selectFrom("api_key")
      .select(["id", "account_id", "scopes", "expires_at"])
      .where("id", "=", ticket.api_key_id)
      .executeTakeFirst();
    return row === undefined ? null : storedOf(row);
  },
});

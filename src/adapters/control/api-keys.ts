import type { Selectable } from "kysely";
import { z } from "zod";
import { Scope } from "../../../schemas/api-key.ts";
import {
  type AccountId,
  ApiKeyId,
  OAuthClientId,
  OAuthGrantId,
  type PersonId,
  SessionId,
} from "../../../schemas/common.ts";
import { scopesWithin } from "../../domain/access/roles.ts";
import { decodeCursor } from "../../domain/cursor.ts";
import type { Note } from "../../ports/audit.ts";
import type { ApiKeyRecord, ApiKeys, StoredApiKey, Tickets } from "../../ports/control-store.ts";
import { note } from "./audit.ts";
import { newUlid } from "./changed.ts";
import { afterId, pageOf } from "./cursor.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { keepLastUsed } from "./last-used.ts";
import type { ControlTables } from "./tables.ts";
import { inTransaction } from "./transaction.ts";

type Row = Selectable<ControlTables["api_key"]>;

const scopesOfRow = ({ scopes }: Pick<Row, "scopes">): Scope[] => z.array(Scope).parse(JSON.parse(scopes));

const recordOf = (row: Row): ApiKeyRecord => ({
  id: row.id,
  accountId: row.account_id,
  personId: row.person_id,
  scopes: scopesOfRow(row),
  expiresAt: row.expires_at,
  name: row.name,
  prefix: row.prefix,
  createdAt: row.created_at,
  lastUsedAt: row.last_used_at,
});

const about = ({ accountId, id, name }: ApiKeyRecord) => ({ accountId, target: { id, name } });
const shownOf = ({ name, prefix, scopes, expiresAt }: ApiKeyRecord) => ({
  name,
  prefix,
  scopes,
  expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
});

const revoked = (key: ApiKeyRecord): Note => ({
  ...about(key),
  action: "api_key.revoked",
  before: shownOf(key),
});

/** All that a person made in an account, and that such keys of theirs made; noted one by one. */
export const revokeKeysOf = async (
  context: ControlContext,
  trx: ControlTransaction,
  accountId: AccountId,
  personId: PersonId,
): Promise<void> => {
  const theirs = trx
    .deleteFrom("api_key")
    .where("account_id", "=", accountId)
    .where("person_id", "=", personId);
  const rows = await theirs.returningAll().execute();
  await note(
    context,
    trx,
    rows.map((row) => revoked(recordOf(row))),
  );
};

/** Keys, each with the role that its maker has now: none where they are suspended or gone. */
const withRoles = (db: ControlContext["db"]) =>
  db
    .selectFrom("api_key")
    .leftJoin("membership", (join) =>
      join
        .onRef("membership.account_id", "=", "api_key.account_id")
        .onRef("membership.person_id", "=", "api_key.person_id")
        .on("membership.suspended_at", "is", null),
    )
    .select([
      "api_key.id",
      "api_key.account_id",
      "api_key.person_id",
      "api_key.name",
      "scopes",
      "expires_at",
      "role",
    ]);

/** Null: who made it may do nothing here any more. */
const storedOf = (
  row: Awaited<ReturnType<ReturnType<typeof withRoles>["executeTakeFirst"]>>,
): StoredApiKey | null => {
  if (row === undefined || (row.person_id !== null && row.role === null)) return null;
  const { id, account_id: accountId, person_id: personId, name, expires_at: expiresAt, role } = row;
  const asked = scopesOfRow(row);
  return {
    id,
    accountId,
    personId,
    name,
    scopes: role === null ? asked : scopesWithin(role, asked),
    expiresAt,
  };
};

export const createApiKeys = (context: ControlContext): ApiKeys => {
  const { db } = context;
  const owned = (accountId: AccountId) =>
    db.selectFrom("api_key").selectAll().where("account_id", "=", accountId);
  return {
    findByHash: async (hash) => storedOf(await withRoles(db).where("hash", "=", hash).executeTakeFirst()),
    find: async (id) => storedOf(await withRoles(db).where("api_key.id", "=", id).executeTakeFirst()),
    create: async (accountId, { name, prefix, hash, scopes, expiresAt = null, personId = null }) => {
      const id = ApiKeyId.parse(`key_${newUlid(context)}`);
      const row = {
        id,
        account_id: accountId,
        person_id: personId,
        name,
        prefix,
        hash,
        scopes: JSON.stringify(scopes),
        created_at: context.clock.now(),
        expires_at: expiresAt,
        last_used_at: null,
      };
      const made = recordOf(row);
      await inTransaction(context, async (trx) => {
        await trx.insertInto("api_key").values(row).execute();
        await note(context, trx, [{ ...about(made), action: "api_key.created", after: shownOf(made) }]);
      });
      return made;
    },
    list: async (accountId, { limit, cursor }, personId = null) => {
      const after = cursor === undefined ? null : decodeCursor(afterId(ApiKeyId), cursor).id;
      const rows = await owned(accountId)
        .$if(after !== null, (query) => query.where("id", ">", after))
        .$if(personId !== null, (query) => query.where("person_id", "=", personId))
        .orderBy("id")
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, recordOf, ({ id }) => ({ id }));
    },
    get: async (accountId, id) => {
      const row = await owned(accountId).where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : recordOf(row);
    },
    revoke: (accountId, id, personId = null) =>
      inTransaction(context, async (trx) => {
        const row = await trx
          .deleteFrom("api_key")
          .where("id", "=", id)
          .where("account_id", "=", accountId)
          .$if(personId !== null, (query) => query.where("person_id", "=", personId))
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) return false;
        await note(context, trx, [revoked(recordOf(row))]);
        return true;
      }),
    used: (at) => keepLastUsed(context, "api_key", at),
  };
};

const Holder = z.union([ApiKeyId, SessionId, OAuthGrantId, OAuthClientId]);

export const createTickets = (context: ControlContext): Tickets => ({
  add: (hash, { id, endsAt }, expiresAt) =>
    inTransaction(context, async (trx) => {
      await trx.deleteFrom("stream_ticket").where("expires_at", "<=", context.clock.now()).execute();
      await trx
        .insertInto("stream_ticket")
        .values({ hash, caller_id: id, caller_until: endsAt, expires_at: expiresAt })
        .execute();
    }),
  redeem: async (hash) => {
    const ticket = await context.db
      .deleteFrom("stream_ticket")
      .where("hash", "=", hash)
      .returning(["caller_id", "caller_until", "expires_at"])
      .executeTakeFirst();
    if (ticket === undefined || ticket.expires_at <= context.clock.now()) return null;
    return { id: Holder.parse(ticket.caller_id), endsAt: ticket.caller_until };
  },
});

import type { Selectable } from "kysely";
import type { OAuthRecordKind, OAuthRecords, StoredRecord } from "../../../ports/oauth.ts";
import type { ControlContext } from "../engine.ts";
import type { ControlTables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

type Row = Selectable<ControlTables["oauth_record"]>;

const contentOwner = (kind: OAuthRecordKind, hash: Uint8Array): string =>
  `oauth ${kind} ${Buffer.from(hash).toString("hex")}`;

export const createOAuthRecords = (context: ControlContext): OAuthRecords => {
  const { db, clock, sealer } = context;
  const hashOf = (kind: OAuthRecordKind, id: string): Uint8Array => sealer.keyedHash(`oauth ${kind} ${id}`);
  const userCodeHash = (code: string): Uint8Array => sealer.keyedHash(`oauth user code ${code}`);
  const stored = (row: Row | undefined): StoredRecord | null =>
    row === undefined
      ? null
      : {
          kind: row.kind,
          content: sealer.open(contentOwner(row.kind, row.hash), row.content),
          expiresAt: row.expires_at,
          consumedAt: row.consumed_at,
        };
  const rows = () => db.selectFrom("oauth_record").selectAll();
  /** True for whoever finds nothing in the column yet. */
  const mark = async (
    column: "consumed_at" | "claimed_at",
    kind: OAuthRecordKind,
    id: string,
  ): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable("oauth_record")
      .set({ [column]: clock.now() })
      .where("hash", "=", hashOf(kind, id))
      .where(column, "is", null)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  };
  return {
    put: (id, { kind, content, clientId, grantId, userCode, expiresAt }) =>
      inTransaction(context, async (trx) => {
        const hash = hashOf(kind, id);
        const changes = {
          content: sealer.seal(contentOwner(kind, hash), content),
          grant_id: grantId,
          expires_at: expiresAt,
        };
        const row = {
          ...changes,
          hash,
          kind,
          client_id: clientId,
          user_code: userCode === null ? null : userCodeHash(userCode),
          consumed_at: null,
          claimed_at: null,
        };
        await trx
          .insertInto("oauth_record")
          .values(row)
          .onConflict((conflict) => conflict.column("hash").doUpdateSet(changes))
          .execute();
        if (grantId === null) return;
        await trx
          .updateTable("oauth_grant")
          .set({ expires_at: expiresAt })
          .where("id", "=", grantId)
          .where("expires_at", "<", expiresAt)
          .execute();
      }),
    find: async (kind, id) => stored(await rows().where("hash", "=", hashOf(kind, id)).executeTakeFirst()),
    findAccess: async (token) => {
      const hashes = [hashOf("AccessToken", token), hashOf("ClientCredentials", token)];
      return stored(await rows().where("hash", "in", hashes).executeTakeFirst());
    },
    findByUserCode: async (code) =>
      stored(await rows().where("user_code", "=", userCodeHash(code)).executeTakeFirst()),
    consume: (kind, id) => mark("consumed_at", kind, id),
    claim: (kind, id) => mark("claimed_at", kind, id),
    remove: async (kind, id) => {
      await db.deleteFrom("oauth_record").where("hash", "=", hashOf(kind, id)).execute();
    },
    removeOfGrant: async (kind, grantId) => {
      await db.deleteFrom("oauth_record").where("grant_id", "=", grantId).where("kind", "=", kind).execute();
    },
  };
};

import { timingSafeEqual } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type AccountId, OAuthClientId } from "../../../../schemas/common.ts";
import { clientProblem } from "../../../../schemas/oauth-client.ts";
import { decodeCursor } from "../../../domain/cursor.ts";
import type { Note } from "../../../ports/audit.ts";
import type { Changed, Expected } from "../../../ports/control-store.ts";
import type { OAuthClient, OAuthClients } from "../../../ports/oauth.ts";
import { note } from "../audit.ts";
import { conflict, done, invalid, merged, newUlid, notFound, unexpected } from "../changed.ts";
import { afterId, pageOf } from "../cursor.ts";
import { difference, keptFields } from "../difference.ts";
import type { ControlContext, ControlTransaction } from "../engine.ts";
import { inTransaction } from "../transaction.ts";
import { about, clientOf, type OAuthClientRow as Row, secretName } from "./oauth-client-row.ts";

/** Of an account. */
const CLIENTS_MAX = 100;

/** One after the other for a client, as it stands; refused where there is none, or it is not as `expected`. */
const changing = <T>(
  context: ControlContext,
  [accountId, id, expected]: readonly [AccountId, OAuthClientId, Expected],
  change: (trx: ControlTransaction, row: Row) => Promise<Changed<T>>,
): Promise<Changed<T>> =>
  inTransaction(context, async (trx) => {
    const row = await trx
      .selectFrom("oauth_client")
      .selectAll()
      .where("id", "=", id)
      .where("account_id", "=", accountId)
      .$if(context.engine.rowLocks, (query) => query.forUpdate())
      .executeTakeFirst();
    if (row === undefined) return notFound;
    return unexpected(row.revision, expected) ?? (await change(trx, row));
  });

export const createOAuthClients = (context: ControlContext): OAuthClients => {
  const { db, clock, sealer } = context;
  const rows = () => db.selectFrom("oauth_client").selectAll();
  const one = (row: Row | undefined): OAuthClient | null => (row === undefined ? null : clientOf(row));
  const saved = async (
    trx: ControlTransaction,
    row: Row,
    change: Partial<Pick<Row, "settings" | "secret" | "person_id">>,
    made: (after: OAuthClient) => Note,
  ): Promise<Changed<OAuthClient>> => {
    const next = { ...change, revision: row.revision + 1, updated_at: clock.now() };
    await trx.updateTable("oauth_client").set(next).where("id", "=", row.id).execute();
    const after = clientOf({ ...row, ...next });
    await note(context, trx, [made(after)]);
    return done(after, 0);
  };
  return {
    create: (accountId, settings, secret, personId) =>
      inTransaction(context, async (trx): Promise<Changed<OAuthClient>> => {
        const { count } = await trx
          .selectFrom("oauth_client")
          .select(({ fn }) => fn.countAll<number>().as("count"))
          .where("account_id", "=", accountId)
          .executeTakeFirstOrThrow();
        if (count >= CLIENTS_MAX)
          return conflict("", `the account has its limit of ${CLIENTS_MAX} clients: delete one`);
        const now = clock.now();
        const id = OAuthClientId.parse(`ocl_${newUlid(context, now)}`);
        const row = {
          id,
          account_id: accountId,
          revision: 1,
          settings: JSON.stringify(settings),
          secret: secret === null ? null : sealer.keyedHash(secretName(id, secret)),
          person_id: personId,
          created_at: now,
          updated_at: now,
        };
        await trx.insertInto("oauth_client").values(row).execute();
        const made = clientOf(row);
        await note(context, trx, [
          { ...about(made), action: "oauth_client.created", after: keptFields(settings) },
        ]);
        return done(made, 0);
      }),
    get: async (accountId, id) =>
      one(await rows().where("id", "=", id).where("account_id", "=", accountId).executeTakeFirst()),
    find: async (id) => one(await rows().where("id", "=", id).executeTakeFirst()),
    list: async (accountId, { limit, cursor }) => {
      const after = cursor === undefined ? null : decodeCursor(afterId(OAuthClientId), cursor).id;
      const page = await rows()
        .where("account_id", "=", accountId)
        .$if(after !== null, (query) => query.where("id", ">", after))
        .orderBy("id")
        .limit(limit + 1)
        .execute();
      return pageOf(page, limit, clientOf, ({ id }) => ({ id }));
    },
    update: (accountId, id, patch, expected = null) =>
      changing(context, [accountId, id, expected], async (trx, row): Promise<Changed<OAuthClient>> => {
        const before = clientOf(row);
        const settings = merged(before.settings, patch);
        if (isDeepStrictEqual(settings, before.settings)) return done(before, 0);
        const problem = clientProblem(settings);
        if (problem !== null) return invalid(problem.path, problem.message);
        return saved(trx, row, { settings: JSON.stringify(settings) }, (after) => ({
          ...about(after),
          action: "oauth_client.updated",
          ...difference(before.settings, settings),
        }));
      }),
    setSecret: (accountId, id, secret, personId) =>
      changing(context, [accountId, id, null], async (trx, row) => {
        if (row.secret === null) return conflict("", "the client has no secret: it is not confidential");
        const next = { secret: sealer.keyedHash(secretName(id, secret)), person_id: personId };
        return saved(trx, row, next, (after) => ({
          ...about(after),
          action: "oauth_client.secret_rotated",
        }));
      }),
    hasSecret: async (id, secret) => {
      const row = await db
        .selectFrom("oauth_client")
        .select("secret")
        .where("id", "=", id)
        .executeTakeFirst();
      const kept = row?.secret ?? null;
      return kept !== null && timingSafeEqual(kept, sealer.keyedHash(secretName(id, secret)));
    },
    remove: (accountId, id, expected = null) =>
      changing(context, [accountId, id, expected], async (trx, row) => {
        await trx.deleteFrom("oauth_record").where("client_id", "=", id).execute();
        await trx.deleteFrom("oauth_grant").where("client_id", "=", id).execute();
        await trx.deleteFrom("oauth_client").where("id", "=", id).execute();
        const before = clientOf(row);
        await note(context, trx, [
          { ...about(before), action: "oauth_client.deleted", before: keptFields(before.settings) },
        ]);
        return done(null, 0);
      }),
  };
};

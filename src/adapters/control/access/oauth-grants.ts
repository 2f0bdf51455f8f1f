import { z } from "zod";
import { Scope } from "../../../../schemas/api-key.ts";
import { OAuthGrantId, type PersonId } from "../../../../schemas/common.ts";
import { COMMAND_LINE_NAME, OAuthClientSettings } from "../../../../schemas/oauth-client.ts";
import { scopesInBoth } from "../../../domain/access/roles.ts";
import { decodeCursor } from "../../../domain/cursor.ts";
import type { Note } from "../../../ports/audit.ts";
import type { OAuthGrant, OAuthGrants } from "../../../ports/oauth.ts";
import { note } from "../audit.ts";
import { newUlid } from "../changed.ts";
import { afterId, pageOf } from "../cursor.ts";
import type { ControlContext } from "../engine.ts";
import { keepLastUsed } from "../last-used.ts";
import { inTransaction } from "../transaction.ts";
import { holdPerson } from "./people.ts";

/** Grants that are not over, each with its client and with the role that its person has now. */
export const grantsOf = (db: ControlContext["db"], now: number) =>
  db
    .selectFrom("oauth_grant")
    .innerJoin("person", "person.id", "oauth_grant.person_id")
    .leftJoin("oauth_client", "oauth_client.id", "oauth_grant.client_id")
    .leftJoin("membership", (join) =>
      join
        .onRef("membership.account_id", "=", "oauth_grant.account_id")
        .onRef("membership.person_id", "=", "oauth_grant.person_id")
        .on("membership.suspended_at", "is", null),
    )
    .leftJoin("account", "account.id", "oauth_grant.account_id")
    .selectAll("oauth_grant")
    .select(["oauth_client.settings", "membership.role", "person.email"])
    .select(["person.totp_confirmed_at", "account.second_factor_required"])
    .where("oauth_grant.expires_at", ">", now);
type Row = Awaited<ReturnType<ReturnType<typeof grantsOf>["executeTakeFirstOrThrow"]>>;

/** Null: what is registered nowhere is the command line. */
const settingsOf = ({ settings }: Row): OAuthClientSettings | null =>
  settings === null ? null : OAuthClientSettings.parse(JSON.parse(settings));

const grantOf = (row: Row): OAuthGrant => ({
  id: row.id,
  clientId: row.client_id,
  clientName: settingsOf(row)?.name ?? COMMAND_LINE_NAME,
  personId: row.person_id,
  accountId: row.account_id,
  scopes: z.array(Scope).parse(JSON.parse(row.scopes)),
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  lastUsedAt: row.last_used_at,
});

type Ending = "oauth_grant.revoked" | "oauth_grant.replayed";

/** It is made by the person, who is known on pages only once they have said yes. */
export const grantNote = (action: "oauth_grant.created" | Ending, row: Row): Note => {
  const { id, accountId, personId, clientId, clientName, scopes } = grantOf(row);
  const fields = { program: clientId, scopes };
  return {
    action,
    accountId,
    personId,
    target: { id, name: clientName },
    ...(action === "oauth_grant.created"
      ? { actor: { kind: "person", id: personId, name: row.email }, after: fields }
      : { before: fields }),
  };
};

export const createOAuthGrants = (context: ControlContext): OAuthGrants => {
  const { db, clock } = context;
  const grants = () => grantsOf(db, clock.now());
  const end = (action: Ending, id: OAuthGrantId, personId?: PersonId): Promise<boolean> =>
    inTransaction(context, async (trx) => {
      const row = await grantsOf(trx, clock.now()).where("oauth_grant.id", "=", id).executeTakeFirst();
      const { numDeletedRows } = await trx
        .deleteFrom("oauth_grant")
        .where("id", "=", id)
        .$if(personId !== undefined, (query) => query.where("person_id", "=", personId ?? null))
        .executeTakeFirst();
      if (numDeletedRows === 0n) return false;
      if (row !== undefined) await note(context, trx, [grantNote(action, row)]);
      await trx.deleteFrom("oauth_record").where("grant_id", "=", id).execute();
      return true;
    });
  return {
    create: async ({ clientId, personId, accountId, scopes, expiresAt }) => {
      const id = OAuthGrantId.parse(`ogr_${newUlid(context)}`);
      const row = {
        id,
        client_id: clientId,
        person_id: personId,
        account_id: accountId,
        scopes: JSON.stringify(scopes),
        created_at: clock.now(),
        expires_at: expiresAt,
        last_used_at: null,
      };
      await inTransaction(context, async (trx) => {
        await holdPerson(context, trx, personId);
        // What somebody lets in while they are suspended would come to life with them.
        const suspended = trx
          .selectFrom("membership")
          .select("role")
          .where("account_id", "=", accountId)
          .where("person_id", "=", personId)
          .where("suspended_at", "is not", null);
        if ((await suspended.executeTakeFirst()) !== undefined) return;
        await trx.insertInto("oauth_grant").values(row).execute();
        const made = await grantsOf(trx, clock.now()).where("oauth_grant.id", "=", id).executeTakeFirst();
        if (made !== undefined) await note(context, trx, [grantNote("oauth_grant.created", made)]);
      });
      return id;
    },
    open: async (id) => {
      const row = await grants().where("oauth_grant.id", "=", id).executeTakeFirst();
      if (row === undefined || row.role === null) return null;
      if (row.second_factor_required === 1 && row.totp_confirmed_at === null) return null;
      const grant = grantOf(row);
      const scopes = scopesInBoth(grant.scopes, settingsOf(row)?.scopes ?? Scope.options);
      return { ...grant, scopes, email: row.email, role: row.role };
    },
    list: async (personId, { limit, cursor }) => {
      const after = cursor === undefined ? null : decodeCursor(afterId(OAuthGrantId), cursor).id;
      const rows = await grants()
        .where("oauth_grant.person_id", "=", personId)
        .$if(after !== null, (query) => query.where("oauth_grant.id", ">", after))
        .orderBy("oauth_grant.id")
        .limit(limit + 1)
        .execute();
      return pageOf(rows, limit, grantOf, ({ id }) => ({ id }));
    },
    end: (id, personId) => end("oauth_grant.revoked", id, personId),
    endReplayed: (id) => end("oauth_grant.replayed", id),
    used: (at) => keepLastUsed(context, "oauth_grant", at),
    standing: async (personId, accountId) => {
      const row = await db
        .selectFrom("membership")
        .innerJoin("account", "account.id", "membership.account_id")
        .select(["role", "name", "second_factor_required"])
        .where("account_id", "=", accountId)
        .where("person_id", "=", personId)
        .where("suspended_at", "is", null)
        .executeTakeFirst();
      if (row === undefined) return null;
      const { role, name: accountName, second_factor_required: required } = row;
      return { role, accountName, isSecondFactorRequired: required === 1 };
    },
  };
};

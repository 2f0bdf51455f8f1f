import { type Kysely, sql } from "kysely";
import type { ColumnTypes } from "./columns.ts";

/**
 * Who was shown the newest secret of a program: their role bounds what it may do for itself. Of programs that are there
 * the audit log knows it, or the key that made them; null: nobody is known, or a key of nobody's made it, and nothing
 * bounds it.
 */
export const up = async (db: Kysely<unknown>, { text }: ColumnTypes): Promise<void> => {
  await db.schema.alterTable("oauth_client").addColumn("person_id", text).execute();
  await sql`
    update oauth_client set person_id = (
      select case when audit_entry.actor_kind = 'person' then audit_entry.actor_id else api_key.person_id end
      from audit_entry left join api_key on api_key.id = audit_entry.actor_id
      where audit_entry.account_id = oauth_client.account_id and audit_entry.target_id = oauth_client.id
        and audit_entry.action in ('oauth_client.created', 'oauth_client.secret_rotated')
      order by audit_entry.id desc limit 1
    )`.execute(db);
  // Of a stream that such a ticket opens: when it ends whatever else holds.
  await db.schema.alterTable("stream_ticket").addColumn("caller_until", "bigint").execute();
};

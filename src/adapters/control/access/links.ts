import type { Selectable } from "kysely";
import type { Link, LinkPurpose, Links } from "../../../ports/access.ts";
import type { ControlContext } from "../engine.ts";
import type { ControlTables } from "../tables.ts";
import { inTransaction } from "../transaction.ts";

const hashName = (token: string): string => `link ${token}`;
const contentOwner = (purpose: LinkPurpose, subject: string): string => `link ${purpose} ${subject}`;

export const createLinks = (context: ControlContext): Links => {
  const { db, clock, sealer } = context;
  const linkOf = ({ purpose, subject, content, expires_at }: Selectable<ControlTables["link"]>): Link => ({
    purpose,
    subject,
    content: content === null ? null : sealer.open(contentOwner(purpose, subject), content),
    expiresAt: expires_at,
  });
  const openLinks = (subject: string, purpose: LinkPurpose) =>
    db
      .selectFrom("link")
      .selectAll()
      .where("subject", "=", subject)
      .where("purpose", "=", purpose)
      .where("used_at", "is", null)
      .where("expires_at", ">", clock.now());
  return {
    add: (token, { purpose, subject, content, expiresAt }, { keepOthers = false } = {}) =>
      inTransaction(context, async (trx) => {
        if (!keepOthers)
          await trx
            .deleteFrom("link")
            .where("subject", "=", subject)
            .where("purpose", "=", purpose)
            .where("used_at", "is", null)
            .execute();
        const row = {
          hash: sealer.keyedHash(hashName(token)),
          purpose,
          subject,
          content: content === null ? null : sealer.seal(contentOwner(purpose, subject), content),
          expires_at: expiresAt,
          used_at: null,
        };
        await trx.insertInto("link").values(row).execute();
      }),
    look: async (token, purpose) => {
      const row = await db
        .selectFrom("link")
        .selectAll()
        .where("hash", "=", sealer.keyedHash(hashName(token)))
        .where("purpose", "=", purpose)
        .where("used_at", "is", null)
        .where("expires_at", ">", clock.now())
        .executeTakeFirst();
      return row === undefined ? null : linkOf(row);
    },
    use: async (token, purpose) => {
      const now = clock.now();
      const row = await db
        .updateTable("link")
        .set({ used_at: now })
        .where("hash", "=", sealer.keyedHash(hashName(token)))
        .where("purpose", "=", purpose)
        .where("used_at", "is", null)
        .where("expires_at", ">", now)
        .returningAll()
        .executeTakeFirst();
      return row === undefined ? null : linkOf(row);
    },
    open: async (subject, purpose) => (await openLinks(subject, purpose).execute()).map(linkOf),
    wasUsed: async ({ purpose, subject, expiresAt }) => {
      const used = await db
        .selectFrom("link")
        .select("hash")
        .where("subject", "=", subject)
        .where("purpose", "=", purpose)
        .where("expires_at", "=", expiresAt)
        .where("used_at", "is not", null)
        .executeTakeFirst();
      return used !== undefined;
    },
    firstUse: async (token, { purpose, subject, expiresAt }) => {
      const row = {
        hash: sealer.keyedHash(hashName(token)),
        purpose,
        subject,
        content: null,
        expires_at: expiresAt,
        used_at: clock.now(),
      };
      const { numInsertedOrUpdatedRows } = await db
        .insertInto("link")
        .values(row)
        .onConflict((conflict) => conflict.column("hash").doNothing())
        .executeTakeFirst();
      return numInsertedOrUpdatedRows === 1n;
    },
    drop: async (subject, purpose) => {
      await db
        .deleteFrom("link")
        .where("subject", "=", subject)
        .where("purpose", "=", purpose)
        .where("used_at", "is", null)
        .execute();
    },
  };
};

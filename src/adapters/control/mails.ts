import { z } from "zod";
import { MailId } from "../../../schemas/common.ts";
import type { DueMail, MailContent, Mails } from "../../ports/mail.ts";
import { newUlid } from "./changed.ts";
import type { ControlContext, ControlTransaction } from "./engine.ts";
import { inTransaction } from "./transaction.ts";

const Content = z.strictObject({
  subject: z.string(),
  text: z.string(),
  html: z.string(),
  follows: z.array(MailId).optional(),
  stopUrl: z.string().optional(),
});
/** What ended keeps nothing that could let anybody in. */
const ENDED = { content: null, next_attempt_at: null, claim: null } as const;

const ownerOf = (id: MailId): string => `mail ${id}`;

const expire = async (trx: ControlTransaction, now: number): Promise<void> => {
  await trx
    .updateTable("mail")
    .set({ ...ENDED, state: "failed", error: "it expired before it could be sent", ended_at: now })
    .where("next_attempt_at", "<=", now)
    .where("expires_at", "<=", now)
    .execute();
};

const takeDue = (
  context: ControlContext,
  ...[limit, leaseMs]: Parameters<Mails["take"]>
): Promise<DueMail[]> =>
  inTransaction(context, async (trx) => {
    const now = context.clock.now();
    await expire(trx, now);
    const due = await trx
      .selectFrom("mail")
      .select("id")
      .where("next_attempt_at", "<=", now)
      .orderBy("next_attempt_at")
      .orderBy("id")
      .limit(limit)
      // Two that take at once take different ones, and neither waits.
      .$if(context.engine.rowLocks, (query) => query.forUpdate().skipLocked())
      .execute();
    if (due.length === 0) return [];
    const claim = newUlid(context);
    const ids = due.map(({ id }) => id);
    const rows = await trx
      .updateTable("mail")
      .set((mail) => ({ claim, next_attempt_at: now + leaseMs, attempts: mail("attempts", "+", 1) }))
      .where("id", "in", ids)
      .returningAll()
      .execute();
    const opened = ({ id, content }: (typeof rows)[number]): MailContent => {
      if (content === null) throw new Error(`mail ${id} is due and has no content`);
      return Content.parse(JSON.parse(context.sealer.open(ownerOf(id), content)));
    };
    return rows
      .toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
      .map((row) => ({
        ...opened(row),
        id: row.id,
        to: row.recipient,
        claim,
        attempts: row.attempts - 1,
        expiresAt: row.expires_at,
      }));
  });

export const createMails = (context: ControlContext): Mails => {
  const { db, clock, sealer } = context;
  const claimed = ({ id, claim }: Pick<DueMail, "id" | "claim">) =>
    db.updateTable("mail").where("id", "=", id).where("claim", "=", claim);
  return {
    add: async ({ id: given, to, expiresAt, ...content }) => {
      const id = given ?? MailId.parse(`eml_${newUlid(context)}`);
      const now = clock.now();
      const row = {
        id,
        recipient: to,
        content: sealer.seal(ownerOf(id), JSON.stringify(content)),
        state: "waiting",
        attempts: 0,
        next_attempt_at: now,
        claim: null,
        expires_at: expiresAt,
        error: null,
        created_at: now,
        ended_at: null,
      } as const;
      await db
        .insertInto("mail")
        .values(row)
        .onConflict((conflict) => conflict.column("id").doNothing())
        .execute();
      return id;
    },
    get: async (id) => {
      const row = await db.selectFrom("mail").selectAll().where("id", "=", id).executeTakeFirst();
      if (row === undefined) return null;
      const { recipient, state, attempts, error, ended_at } = row;
      return { id, to: recipient, state, attempts, error, endedAt: ended_at };
    },
    take: (limit, leaseMs) => takeDue(context, limit, leaseMs),
    sent: (mail) =>
      inTransaction(context, async (trx) => {
        const now = clock.now();
        const { numUpdatedRows } = await trx
          .updateTable("mail")
          .set({ ...ENDED, state: "sent", error: null, ended_at: now })
          .where("id", "=", mail.id)
          .where("claim", "=", mail.claim)
          .executeTakeFirst();
        // Whoever it invites is invited from now on.
        await trx.updateTable("invitation").set({ sent_at: now }).where("mail_id", "=", mail.id).execute();
        return numUpdatedRows === 1n;
      }),
    failed: async (mail, { error, nextAttemptAt }) => {
      const end =
        nextAttemptAt === null
          ? ({ ...ENDED, state: "failed", ended_at: clock.now() } as const)
          : { next_attempt_at: nextAttemptAt, claim: null };
      return (
        (
          await claimed(mail)
            .set({ ...end, error })
            .executeTakeFirst()
        ).numUpdatedRows === 1n
      );
    },
    waiting: async () => {
      const count = db.selectFrom("mail").select(({ fn }) => fn.countAll<number>().as("mails"));
      return (await count.where("next_attempt_at", "is not", null).executeTakeFirstOrThrow()).mails;
    },
    prune: async (before, limit) => {
      const ended = db.selectFrom("mail").select("id").where("ended_at", "<", before).limit(limit);
      const { numDeletedRows } = await db.deleteFrom("mail").where("id", "in", ended).executeTakeFirst();
      return Number(numDeletedRows);
    },
  };
};

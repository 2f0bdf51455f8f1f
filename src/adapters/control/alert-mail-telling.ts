import { sql } from "kysely";
import type { RuleId } from "../../../schemas/common.ts";
import type { BoxKey } from "../../domain/alert-mails/box.ts";
import type { AlertMails } from "../../ports/alert-mails.ts";
import { followedOf } from "./alert-mail-row.ts";
import { type ControlContext, slices } from "./engine.ts";
import { inTransaction } from "./transaction.ts";

type Telling = Pick<AlertMails, "news" | "alerts" | "toldIn" | "told" | "forget" | "spent" | "spend">;

/** How many alerts of a rule are in a state. */
const inState = (state: "firing" | "resolved") =>
  sql<number>`sum(case when state = ${state} then 1 else 0 end)`.as(state);

/** What a box has to tell, and that it was told. */
export const createAlertMailTelling = (context: ControlContext): Telling => {
  const { db } = context;
  const newOf = ({ accountId, recipient }: BoxKey, ruleId: RuleId | null = null) =>
    db
      .selectFrom("alert_mail_alert")
      .where("account_id", "=", accountId)
      .where("recipient", "=", recipient)
      .where("news", ">", 0)
      .$if(ruleId !== null, (query) => query.where("rule_id", "=", ruleId));
  return {
    news: async (box) => {
      const rows = await newOf(box)
        .select(({ fn }) => ["rule_id", fn.max("rule_name").as("rule_name")])
        .select([inState("firing"), inState("resolved"), sql<number>`sum(news)`.as("news")])
        .groupBy("rule_id")
        .orderBy("rule_id")
        .execute();
      return rows.map((row) => ({
        ruleId: row.rule_id,
        ruleName: row.rule_name,
        firing: Number(row.firing),
        resolved: Number(row.resolved),
        news: Number(row.news),
      }));
    },
    alerts: async (box, ruleId, limit) => {
      const rows = newOf(box, ruleId).selectAll().orderBy("state").orderBy("rank", "desc");
      return (await rows.orderBy("alert_id").limit(limit).execute()).map(followedOf);
    },
    toldIn: async (box, ruleId, limit) => {
      const rows = await newOf(box, ruleId)
        .select("mail_id")
        .distinct()
        .where("mail_id", "is not", null)
        .orderBy("mail_id", "desc")
        .limit(limit)
        .execute();
      return rows.flatMap(({ mail_id }) => mail_id ?? []).toReversed();
    },
    told: ({ accountId, recipient }, ruleId, mailId) =>
      inTransaction(context, async (trx) => {
        await trx
          .deleteFrom("alert_mail_alert")
          .where("account_id", "=", accountId)
          .where("recipient", "=", recipient)
          .where("news", ">", 0)
          .where("state", "=", "resolved")
          .$if(ruleId !== null, (query) => query.where("rule_id", "=", ruleId))
          .execute();
        await trx
          .updateTable("alert_mail_alert")
          .set(({ fn, val }) => ({ news: 0, mail_id: fn.coalesce("mail_id", val(mailId)) }))
          .where("account_id", "=", accountId)
          .where("recipient", "=", recipient)
          .where("news", ">", 0)
          .$if(ruleId !== null, (query) => query.where("rule_id", "=", ruleId))
          .execute();
      }),
    forget: async ({ accountId, recipient }, ruleId) => {
      await db
        .deleteFrom("alert_mail_alert")
        .where("account_id", "=", accountId)
        .where("recipient", "=", recipient)
        .$if(ruleId !== null, (query) => query.where("rule_id", "=", ruleId))
        .execute();
    },
    spent: async (names) => {
      const spent = new Map<string, number>();
      for (const some of slices(names)) {
        const rows = db.selectFrom("alert_mail_spent").selectAll().where("name", "in", some);
        for (const { name, until } of await rows.execute()) spent.set(name, until);
      }
      return spent;
    },
    spend: async (spent) => {
      for (const slice of slices([...spent].map(([name, until]) => ({ name, until }))))
        await db
          .insertInto("alert_mail_spent")
          .values(slice)
          .onConflict((conflict) =>
            conflict.column("name").doUpdateSet(({ ref }) => ({ until: ref("excluded.until") })),
          )
          .execute();
    },
  };
};

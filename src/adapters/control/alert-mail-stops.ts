import type { Email } from "../../../schemas/email.ts";
import type { StopScope } from "../../domain/alert-mails/stop.ts";
import type { AlertMails } from "../../ports/alert-mails.ts";
import { type ControlContext, slices } from "./engine.ts";

type Stops = Pick<AlertMails, "stops" | "stop" | "resume">;

/** What the readers of e-mails want no more. */
export const createAlertMailStops = ({ db, clock }: ControlContext): Stops => ({
  stops: async (accountId, recipients) => {
    const stops = new Map<Email, Set<StopScope>>();
    for (const some of slices(recipients)) {
      const own = db.selectFrom("alert_mail_stop").selectAll().where("account_id", "=", accountId);
      for (const { recipient, scope } of await own.where("recipient", "in", some).execute())
        stops.set(recipient, (stops.get(recipient) ?? new Set()).add(scope));
    }
    return stops;
  },
  stop: async ({ accountId, recipient }, scope) => {
    const row = { account_id: accountId, recipient, scope, stopped_at: clock.now() };
    const { numInsertedOrUpdatedRows } = await db
      .insertInto("alert_mail_stop")
      .values(row)
      .onConflict((conflict) => conflict.columns(["account_id", "recipient", "scope"]).doNothing())
      .executeTakeFirstOrThrow();
    return numInsertedOrUpdatedRows === 1n;
  },
  resume: async ({ accountId, recipient }, scope) => {
    const { numDeletedRows } = await db
      .deleteFrom("alert_mail_stop")
      .where("account_id", "=", accountId)
      .where("recipient", "=", recipient)
      .where("scope", "=", scope)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  },
});

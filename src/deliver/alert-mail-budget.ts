import type { BoxKey } from "../domain/alert-mails/box.ts";
import {
  accountSpender,
  addressSpender,
  leftOf,
  readyAt,
  type Spender,
  spend,
} from "../domain/alert-mails/budget.ts";
import type { AlertMails } from "../ports/alert-mails.ts";

/** Which limit keeps an address from being told, and until when. */
export interface MailWait {
  readonly limit: Spender["limit"];
  readonly untilMs: number;
}

/** How many e-mails an address may get now: as many as it, and the account that writes to it, have left. */
export interface MailBudget {
  readonly left: number;
  /** Where none is left. */
  readonly wait: MailWait | null;
  spend(mails: number): Promise<void>;
}

export const mailBudget = async (
  alertMails: Pick<AlertMails, "spent" | "spend">,
  { accountId, recipient }: BoxKey,
  nowMs: number,
): Promise<MailBudget> => {
  const spenders = [addressSpender(recipient), accountSpender(accountId)];
  const before = await alertMails.spent(spenders.map(({ name }) => name));
  const states = spenders.map((spender) => {
    const spent = before.get(spender.name) ?? 0;
    return { ...spender, spent, left: leftOf(spender.allowance, spent, nowMs) };
  });
  const used = states.find(({ left }) => left === 0);
  return {
    left: Math.min(...states.map(({ left }) => left)),
    wait: used === undefined ? null : { limit: used.limit, untilMs: readyAt(used.allowance, used.spent) },
    spend: (mails) => {
      const after = states.map(({ name, allowance, spent }) => {
        return [name, spend(allowance, spent, nowMs, mails)] as const;
      });
      return alertMails.spend(new Map(after));
    },
  };
};

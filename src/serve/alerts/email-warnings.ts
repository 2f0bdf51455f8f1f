import type { AccountId } from "../../../schemas/common.ts";
import type { Rule, Warning } from "../../../schemas/rule.ts";
import {
  accountSpender,
  addressSpender,
  leftOf,
  readyAt,
  type Spender,
} from "../../domain/alert-mails/budget.ts";
import { isStopped } from "../../domain/alert-mails/stop.ts";
import type { Repositories } from "../../ports/control-store.ts";

const WHO: Readonly<Record<Spender["limit"], string>> = {
  address: "this address has",
  account: "the account's rules have",
};

/** Addresses that get nothing, for their readers stopped it, or nothing for now, for there were too many e-mails. */
export const emailWarnings = async (
  { alertMails }: Pick<Repositories, "alertMails">,
  accountId: AccountId,
  { id, notify }: Rule,
  nowMs: number,
): Promise<Warning[]> => {
  const emails = notify?.emails ?? [];
  if (emails.length === 0) return [];
  const stops = await alertMails.stops(accountId, emails);
  const spenders = [
    ...emails.map((email, at) => ({ path: `notify.emails.${at}`, ...addressSpender(email) })),
    { path: "notify.emails", ...accountSpender(accountId) },
  ];
  const spent = await alertMails.spent(spenders.map(({ name }) => name));
  const stopped = emails.flatMap((email, at) => {
    const own = stops.get(email);
    if (own === undefined || !isStopped(own, id)) return [];
    return [{ path: `notify.emails.${at}`, message: `${email} has stopped these e-mails` }];
  });
  const waiting = spenders.flatMap(({ path, name, limit, allowance }) => {
    const used = spent.get(name) ?? 0;
    if (leftOf(allowance, used, nowMs) > 0) return [];
    const at = new Date(readyAt(allowance, used)).toISOString();
    const message = `${WHO[limit]} no e-mail left: what happens is told together, at ${at} at the earliest`;
    return [{ path, message }];
  });
  return [...stopped, ...waiting];
};

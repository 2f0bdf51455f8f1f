import type { AccountId } from "../../../schemas/common.ts";
import type { Rule, Warning } from "../../../schemas/rule.ts";
import type { Repositories } from "../../ports/control-store.ts";
import { emailWarnings } from "./email-warnings.ts";
import { limitWarnings } from "./limit-warnings.ts";
import { selectionWarnings } from "./selection-warnings.ts";

type Within = Pick<Repositories, "alertMails" | "signals" | "webhooks">;
type Warn = (within: Within, accountId: AccountId, rule: Rule, nowMs: number) => Promise<Warning[]>;

const ofWebhooks: Warn = async ({ webhooks }, accountId, { notify }) => {
  const ids = notify?.webhookIds ?? [];
  const existing = new Set(await webhooks.existing(accountId, ids));
  return ids.flatMap((id, at) =>
    existing.has(id) ? [] : [{ path: `notify.webhookIds.${at}`, message: `there is no webhook ${id}` }],
  );
};

/** What of a rule is allowed and likely not meant, as things stand: signals and webhooks may come later. */
export const ruleWarnings: Warn = async (within, accountId, rule, nowMs) => {
  const webhooks = await ofWebhooks(within, accountId, rule, nowMs);
  const told = [...webhooks, ...(await emailWarnings(within, accountId, rule, nowMs))];
  const selection = await selectionWarnings(within, accountId, rule.select);
  if (selection.length > 0) return [...selection, ...told];
  return [...(await limitWarnings(within, accountId, rule)), ...told];
};

import { type AccountId, RuleId, SignalId, SourceId, WebhookId } from "../../../schemas/common.ts";
import { RuleCreate, RulePatch } from "../../../schemas/rule.ts";
import { SignalCreate, SignalPatch } from "../../../schemas/signal.ts";
import { SourceCreate, SourcePatch } from "../../../schemas/source.ts";
import { DeclaredWebhook, WebhookPatch } from "../../../schemas/webhook.ts";
import type { Change } from "../../declared/plan.ts";
import type { Changed, Changing, SignalOperation } from "../../ports/control-store.ts";

/** What a start does: it takes nothing away. */
export type Made = Exclude<Change, { action: "delete" }>;
type Done = Changed<unknown>;

const operationOf = (change: Made): SignalOperation =>
  change.action === "create"
    ? { kind: "create", input: SignalCreate.parse(change.body) }
    : { kind: "update", id: SignalId.parse(change.id), patch: SignalPatch.parse(change.body) };

const makeOne = ({ sources, rules, webhooks }: Changing, accountId: AccountId, change: Made) => {
  const { kind, body } = change;
  if (change.action === "create") {
    if (kind === "sources") return sources.create(accountId, SourceCreate.parse(body));
    if (kind === "rules") return rules.create(accountId, RuleCreate.parse(body));
    return webhooks.create(accountId, DeclaredWebhook.parse(body));
  }
  const { id } = change;
  if (kind === "sources") return sources.update(accountId, SourceId.parse(id), SourcePatch.parse(body));
  if (kind === "rules") return rules.update(accountId, RuleId.parse(id), RulePatch.parse(body));
  return webhooks.update(accountId, WebhookId.parse(id), WebhookPatch.parse(body));
};

/** Changes made in one transaction, at the most: others wait for it meanwhile. */
const AT_ONCE = 500;

/** Makes the changes one after the other, those of signals in batches, and gives what became of each. */
export const makeAll = async function* (
  control: Changing,
  accountId: AccountId,
  changes: readonly Made[],
  lost: AbortSignal,
): AsyncGenerator<readonly [Made, Done]> {
  const ofSignals = changes.filter(({ kind }) => kind === "signals");
  for (let from = 0; from < ofSignals.length; from += AT_ONCE) {
    lost.throwIfAborted();
    const slice = ofSignals.slice(from, from + AT_ONCE);
    const { results } = await control.signals.applyAll(accountId, slice.map(operationOf), { atomic: false });
    for (const [index, change] of slice.entries()) {
      const done = results[index];
      if (done !== undefined) yield [change, done];
    }
  }
  for (const change of changes) {
    if (change.kind === "signals") continue;
    lost.throwIfAborted();
    yield [change, await makeOne(control, accountId, change)];
  }
};

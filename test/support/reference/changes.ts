import type { Change } from "../../../schemas/change.ts";
import type { ReferenceAccount } from "./account.ts";
import { acknowledge } from "./alerts.ts";
import type { InputAcknowledgement } from "./input.ts";
import { applyRule } from "./rule-changes.ts";
import { applySignal, deleteSignal } from "./signal-changes.ts";
import { iso } from "./told.ts";

export const applyChange = (account: ReferenceAccount, change: Change): void => {
  switch (change.type) {
    case "signal":
      applySignal(account, change.signal);
      break;
    case "signalDeleted":
      deleteSignal(account, change);
      break;
    case "rule":
      applyRule(account, change.rule, change);
      break;
    case "ruleDeleted":
      applyRule(account, null, { revision: change.revision, rule: { id: change.ruleId } });
      break;
    case "silence":
      if (account.silences.bring(change.silence, change.revision, account.signals)) tellAllUnheld(account);
      break;
    case "silenceDeleted":
      if (account.silences.delete(change.silenceId, change.revision)) tellAllUnheld(account);
      break;
    case "acknowledged":
      throw new Error("an input of its own, for an alert's id is a log's");
    case "sourceFlow":
      if (change.paused) account.pausedSources.add(change.sourceId);
      else account.pausedSources.delete(change.sourceId);
  }
};

const tellAllUnheld = (account: ReferenceAccount): void => {
  for (const signal of account.signals) account.step(signal, (step) => account.tellUnheld(step));
};

export const applyAcknowledgement = (
  account: ReferenceAccount,
  { of, at, by, note }: InputAcknowledgement,
): void => {
  const signal = account.signal(of.signalId);
  const watch = signal?.watches.get(of.ruleId);
  if (signal === undefined || watch?.alert?.nth !== of.nth) return;
  account.step(signal, (step) => acknowledge(step, watch, { at: iso(at), by, note }));
};

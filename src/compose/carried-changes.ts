import type { Change } from "../../schemas/change.ts";
import type { PartitionState } from "../domain/evaluation/partition-state.ts";
import type { StoredSilence } from "../ports/alerts.ts";
import type { StoredRule } from "../ports/control-store.ts";

/** Every rule that there is, and that those that states know are gone. */
export const ruleChanges = (stored: readonly StoredRule[], states: readonly PartitionState[]): Change[] => {
  const ids = new Set(stored.map(({ rule }) => rule.id));
  const known = new Map(states.flatMap(({ rules }) => rules.all()).map((each) => [each.rule.id, each]));
  const gone = [...known.values()].filter(({ rule }) => !ids.has(rule.id));
  return [
    ...stored.map(({ accountId, revision, rule }): Change => ({ type: "rule", accountId, revision, rule })),
    ...gone.map(
      ({ accountId, revision, rule }): Change => ({
        type: "ruleDeleted",
        accountId,
        revision: revision + 1,
        ruleId: rule.id,
      }),
    ),
  ];
};

/** As `ruleChanges`. */
export const silenceChanges = (
  stored: readonly StoredSilence[],
  states: readonly PartitionState[],
): Change[] => {
  const ids = new Set(stored.map(({ definition }) => definition.id));
  const known = states.flatMap(({ silences }) => silences.all());
  const gone = new Map(
    known.filter(({ silence }) => !ids.has(silence.id)).map((each) => [each.silence.id, each]),
  );
  return [
    ...stored.map(
      ({ accountId, revision, definition }): Change => ({
        type: "silence",
        accountId,
        revision,
        silence: definition,
      }),
    ),
    ...[...gone.values()].map(
      ({ accountId, revision, silence }): Change => ({
        type: "silenceDeleted",
        accountId,
        revision: revision + 1,
        silenceId: silence.id,
      }),
    ),
  ];
};

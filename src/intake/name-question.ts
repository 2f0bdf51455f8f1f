import type { SignalDefinition } from "../../schemas/change.ts";
import { type AccountId, type Labels, SignalId, type SourceId } from "../../schemas/common.ts";
import type { SignalDefaults } from "../../schemas/signal.ts";
import type { Signals } from "../ports/control-store.ts";

/** For whom names are asked, and what becomes of unknown ones. */
export interface Asker {
  readonly accountId: AccountId;
  /** Null for readings that come by no source. */
  readonly sourceId: SourceId | null;
  readonly create: boolean;
  readonly defaults: SignalDefaults;
}

const LABELS_MAX = 32;

const withLabels = (defaults: SignalDefaults, labels: Labels): SignalDefaults => ({
  ...defaults,
  labels: Object.fromEntries(Object.entries({ ...defaults.labels, ...labels }).slice(0, LABELS_MAX)),
});

const ours = async (signals: Signals, accountId: AccountId, names: readonly string[]) => {
  const ids = names.flatMap((name) => SignalId.safeParse(name).data ?? []);
  return ids.length === 0 ? [] : signals.existing(accountId, ids);
};

/** Names that get the same labels are asked together: one call, one transaction. */
const byLabels = (names: ReadonlyMap<string, Labels>): Map<string, { labels: Labels; names: string[] }> => {
  const groups = new Map<string, { labels: Labels; names: string[] }>();
  for (const [name, labels] of names) {
    const key = JSON.stringify(Object.entries(labels).sort());
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { labels, names: [name] });
    else group.names.push(name);
  }
  return groups;
};

/**
 * The signals that these names mean: one of ours whose id it is, else the one with that externalId, made if the asker
 * wants so, with the labels that stand beside the name. Names that mean none are left out.
 */
export const askNames = async (
  signals: Signals,
  asker: Asker,
  names: ReadonlyMap<string, Labels>,
): Promise<Map<string, SignalDefinition>> => {
  const found = new Map<string, SignalDefinition>();
  for (const definition of await ours(signals, asker.accountId, [...names.keys()])) {
    found.set(definition.id, definition);
  }
  const rest = new Map([...names].filter(([name]) => !found.has(name)));
  for (const group of byLabels(rest).values()) {
    const resolved = await signals.resolve({
      accountId: asker.accountId,
      sourceId: asker.sourceId,
      externalIds: group.names,
      create: asker.create,
      defaults: withLabels(asker.defaults, group.labels),
    });
    for (const { externalId, definition } of resolved) found.set(externalId, definition);
  }
  return found;
};

import type { AccountId } from "../../../schemas/common.ts";
import type { ReadingsSelection } from "../../../schemas/stream.ts";
import { LabelSelection } from "./label-selection.ts";
import type { StreamParts } from "./stream-parts.ts";

/** Which signals a subscription shows: all that is named must match, nothing named means all. */
export interface SignalChoice {
  has(signalId: string): boolean;
  /** Those to begin with, as far as they have a value. */
  ids(): Iterable<string>;
  stop(): void;
}

type ChoiceParts = Pick<StreamParts, "control" | "feed" | "live">;

const byLabels = async (
  parts: ChoiceParts,
  accountId: AccountId,
  labels: NonNullable<ReadingsSelection["labels"]>,
  added: (signalIds: readonly string[]) => void,
): Promise<LabelSelection> => {
  const selection = new LabelSelection({
    accountId,
    labels,
    signals: parts.control.signals,
    feed: parts.feed,
    added,
  });
  try {
    await selection.load();
    return selection;
  } catch (error) {
    selection.stop();
    throw error;
  }
};

/** `added` is told of signals that come to match later. */
export const chooseSignals = async (
  parts: ChoiceParts,
  accountId: AccountId,
  { signalIds, labels }: ReadingsSelection,
  added: (signalIds: readonly string[]) => void,
): Promise<SignalChoice> => {
  const named = Array.isArray(signalIds) ? new Set<string>(signalIds) : null;
  const labelled = labels === undefined ? null : await byLabels(parts, accountId, labels, added);
  return {
    has: (id) => (named === null || named.has(id)) && (labelled === null || labelled.has(id)),
    ids: () => named ?? labelled?.ids ?? parts.live.ids(accountId),
    stop: () => labelled?.stop(),
  };
};

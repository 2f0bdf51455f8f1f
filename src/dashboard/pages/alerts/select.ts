import { pairsOf } from "../../parts/pairs.ts";

/** Which signals something is about, while it is typed. */
export interface Selected {
  readonly signalIds: readonly string[];
  /** `key=value`, a line each. */
  readonly labels: string;
  /** Empty: of any. */
  readonly sourceId: string;
}

/** As the API takes it: what is not typed says nothing. */
export const selectOf = ({ signalIds, labels: typed, sourceId }: Selected) => {
  const labels = pairsOf(typed);
  return {
    ...(signalIds.length === 0 ? {} : { signalIds: [...signalIds] }),
    ...(Object.keys(labels).length === 0 ? {} : { labels }),
    ...(sourceId === "" ? {} : { sourceId }),
  };
};

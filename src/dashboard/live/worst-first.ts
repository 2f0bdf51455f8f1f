import { type LiveColumns, NOTHING } from "./live-store.ts";
import { NEVER_MS } from "./messages.ts";

/** Places in COMPACT_STATUS (schemas/stream.ts). */
export const FAILED = 1;
export const PAUSED = 2;

/** As COMPACT_STATUS, without the validators beside it. */
export const STATUSES = ["active", "failed", "paused"] as const;

/** Ranks are told apart to a millionth. */
const RANK_STEPS = 1e6;
/** More signals than there can be (MAX_SIGNALS): a rank and a place make one number, which a double holds exactly. */
const PLACES = 2 ** 24;

const UNREPORTED_QUALITY = 1.5;

/** Failed before active before paused, each by its quality, those without one last; who stand alike keep their order. */
const rank = ({ status, quality, at }: LiveColumns, place: number): number =>
  (status[place] === FAILED ? 0 : status[place] === PAUSED ? 4 : 2) +
  (at[place] === NEVER_MS ? UNREPORTED_QUALITY : (quality[place] ?? 0));

/** Places of all signals, the worst first; of 100,000 within 10 ms, as numbers sort natively. */
export const worstFirst = (columns: LiveColumns): Uint32Array<ArrayBuffer> => {
  const keys = new Float64Array(columns.size);
  let count = 0;
  for (let place = 0; place < columns.size; place++)
    if (columns.status[place] !== NOTHING)
      keys[count++] = Math.round(rank(columns, place) * RANK_STEPS) * PLACES + place;
  const sorted = keys.subarray(0, count).sort();
  return Uint32Array.from(sorted, (key) => key % PLACES);
};

export interface Counts {
  readonly active: number;
  readonly failed: number;
  readonly paused: number;
}
export const counted = ({ size, status }: LiveColumns): Counts => {
  const counts = [0, 0, 0];
  for (let place = 0; place < size; place++) {
    const kind = status[place] ?? NOTHING;
    if (kind !== NOTHING) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  const [active = 0, failed = 0, paused = 0] = counts;
  return { active, failed, paused };
};

import { zone } from "../app/preferences.ts";
import { useTold } from "../app/told-value.ts";
import { timeText } from "../app/words.ts";

/** A moment (Unix ms) by the clock that the reader has chosen, as soon as they choose another. */
export const Time = ({ at }: { at: number }) => {
  useTold(zone);
  return <time dateTime={new Date(at).toISOString()}>{timeText(at)}</time>;
};

import { useSyncExternalStore } from "react";
import { ageText } from "../app/words.ts";
import { seconds } from "../live/ticker.ts";

/** How long ago a moment (Unix ms) is, as the time goes on. */
export const Age = ({ at }: { at: number }) => <>{useSyncExternalStore(seconds.follow, () => ageText(at))}</>;

const agoText = (at: number): string => {
  const age = ageText(at);
  return age === "now" ? "just now" : `${age} ago`;
};
/** As `Age`, in a sentence: `12 s ago`. */
export const Ago = ({ at }: { at: number }) => <>{useSyncExternalStore(seconds.follow, () => agoText(at))}</>;

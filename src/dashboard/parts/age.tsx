import { useSyncExternalStore } from "react";
import { ageText } from "../app/words.ts";
import { seconds } from "../live/ticker.ts";

/** How long ago a moment (Unix ms) is, as the time goes on. */
export const Age = ({ at }: { at: number }) => <>{useSyncExternalStore(seconds.follow, () => ageText(at))}</>;

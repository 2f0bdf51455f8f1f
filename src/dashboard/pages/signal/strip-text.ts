import { spanText } from "../alerts/words.ts";
import type { Stretch } from "./strip.ts";

/** The worst first. */
const SAID = ["failed", "paused", null, "active"] as const;

/** What a strip shows, in words: how often a signal was how, and for how long: `failed 2 times, 12 min together`. */
export const stripText = (stretches: readonly Stretch[]): string =>
  SAID.flatMap((status) => {
    const those = stretches.filter((stretch) => stretch.status === status);
    if (those.length === 0) return [];
    const name = status ?? "not known";
    if (those.length === stretches.length) return [`${name} all the time`];
    const long = spanText(those.reduce((ms, { fromMs, toMs }) => ms + toMs - fromMs, 0));
    if (status === null || status === "active") return [`${name} for ${long}`];
    return [those.length === 1 ? `${name} once, ${long}` : `${name} ${those.length} times, ${long} together`];
  }).join("; ");

import { shownNumber } from "../explain/words.ts";
import type { FollowedAlert } from "./box.ts";
import { plainName } from "./plain-name.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const shownMoment = (at: string): string => `${at.slice(0, 19).replace("T", " ")} UTC`;

const twoUnits = (ms: number, [large, of]: [string, number], [small, each]: [string, number]): string => {
  const rest = Math.floor((ms % of) / each);
  return `${Math.floor(ms / of)} ${large}${rest === 0 ? "" : ` ${rest} ${small}`}`;
};

const shownDuration = (ms: number): string => {
  if (ms < MINUTE_MS) return `${Math.max(0, Math.round(ms / SECOND_MS))} s`;
  if (ms < HOUR_MS) return twoUnits(ms, ["min", MINUTE_MS], ["s", SECOND_MS]);
  if (ms < DAY_MS) return twoUnits(ms, ["h", HOUR_MS], ["min", MINUTE_MS]);
  return twoUnits(ms, ["d", DAY_MS], ["h", HOUR_MS]);
};

/** What an e-mail says of one alert, behind the name of its signal. */
const whatOf = ({ state, severity, value, limit, firedAt, resolvedAt }: FollowedAlert): string => {
  if (state === "resolved" && resolvedAt !== null) {
    const tookMs = Date.parse(resolvedAt) - Date.parse(firedAt);
    return `resolved at ${shownMoment(resolvedAt)}, after ${shownDuration(tookMs)} as ${severity}`;
  }
  const figures = value === null ? "" : `: ${shownNumber(value)} against the limit ${shownNumber(limit)}`;
  return `fires as ${severity} since ${shownMoment(firedAt)}${figures}`;
};

export interface AlertLine {
  readonly name: string;
  readonly what: string;
  /** Where the reason stands. */
  readonly url: string;
}

export const alertLine = (alert: FollowedAlert, publicUrl: string): AlertLine => ({
  name: plainName(alert.signalName),
  what: whatOf(alert),
  url: `${publicUrl}/alerts/${alert.alertId}`,
});

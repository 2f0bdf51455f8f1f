import type { Alert, Condition, Rule } from "../../api/types.ts";
import { dbmText, decimalText, numberText } from "../../app/words.ts";

/** A span in its two largest units: `2 h 5 min`. */
export const spanText = (ms: number): string => {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
};
export const secondsText = (seconds: number): string => spanText(seconds * 1_000);

type Compared = Pick<Condition, "metric" | "operator">;
/** A value as the condition compares it: dBm, quality, dB of a change, or seconds of silence. */
export const comparedText = ({ metric, operator }: Compared, value: number): string => {
  if (operator === "noData") return secondsText(value);
  if (metric === "quality") return `${numberText(Math.round(value * 1_000) / 10)} %`;
  return operator === "change" ? `${decimalText(value, 1)} dB` : dbmText(value);
};

const limitText = (condition: Condition, value: number | undefined, label: string | undefined): string => {
  const own = label === undefined ? null : `its label “${label}”`;
  const fixed = value === undefined ? null : comparedText(condition, value);
  return [own, fixed].filter((one) => one !== null).join(", else ");
};

/** A condition as people say it. */
export const conditionText = (condition: Condition, levels: Rule["levels"] = null): string => {
  const {
    metric,
    operator,
    value,
    valueFrom,
    upper,
    upperFrom,
    overSeconds = 0,
    direction = "either",
  } = condition;
  const what = metric === "quality" ? "Quality" : "Strength";
  const steps = levels
    ?.map((level) => `${comparedText(condition, level.value)} (${level.severity})`)
    .join(", then ");
  const limit = steps ?? limitText(condition, value, valueFrom?.label);
  switch (operator) {
    case "below":
      return `${what} below ${limit}`;
    case "above":
      return `${what} above ${limit}`;
    case "outside":
      return `${what} outside ${limit} to ${limitText(condition, upper, upperFrom?.label)}`;
    case "change": {
      const how = { either: "moves", rise: "rises", fall: "falls" }[direction];
      return `${what} ${how} by more than ${limit} within ${secondsText(overSeconds)}`;
    }
    case "noData":
      return `No reading for ${secondsText(overSeconds)}`;
  }
};

/** What a rule looks at. */
export const selectionText = (
  { signalIds, labels, sourceId }: Rule["select"],
  sourceName?: string,
): string => {
  const parts = [
    ...(signalIds === undefined
      ? []
      : [signalIds.length === 1 ? "one signal" : `${signalIds.length} signals`]),
    ...Object.entries(labels ?? {}).map(([name, value]) => `${name} = ${value}`),
    ...(sourceId === undefined ? [] : [`of ${sourceName ?? sourceId}`]),
  ];
  return parts.length === 0 ? "every signal" : parts.join(", ");
};

const RESOLVED = {
  recovered: "recovered",
  schedule: "its hours ended",
  paused: "the signal was paused",
  ruleChanged: "the rule was changed",
  ruleDeleted: "the rule was deleted",
  signalDeleted: "the signal was deleted",
} as const;
export const resolvedText = ({ resolveReason }: Pick<Alert, "resolveReason">): string =>
  resolveReason === null ? "resolved" : RESOLVED[resolveReason];

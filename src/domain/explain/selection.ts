import type { SignalDefinition } from "../../../schemas/change.ts";
import type { Rule } from "../../../schemas/rule.ts";

/** In which ways a signal is not what a rule selects; none: it is. */
export const mismatches = (
  { select: { signalIds, labels = {}, sourceId } }: Rule,
  signal: SignalDefinition,
): string[] => [
  ...(signalIds === undefined || signalIds.includes(signal.id)
    ? []
    : ["its signalIds do not name the signal"]),
  ...(sourceId === undefined || sourceId === signal.sourceId
    ? []
    : [
        signal.sourceId === null
          ? `it wants signals of the source ${sourceId}, and this one was made by the API`
          : `it wants signals of the source ${sourceId}, and this one is of ${signal.sourceId}`,
      ]),
  ...Object.entries(labels)
    .filter(([key, value]) => signal.labels[key] !== value)
    .map(([key, value]) => {
      const own = signal.labels[key];
      return own === undefined
        ? `it wants the label ${key}: ${value}, which the signal does not have`
        : `it wants the label ${key}: ${value}, and the signal's is ${own}`;
    }),
];

/** What a rule selects, in words. */
export const selectionText = ({ select: { signalIds, labels = {}, sourceId } }: Rule): string => {
  const parts = [
    ...(signalIds === undefined ? [] : ["by its id"]),
    ...(sourceId === undefined ? [] : [`by its source ${sourceId}`]),
    ...Object.entries(labels).map(([key, value]) => `by its label ${key}: ${value}`),
  ];
  return parts.length === 0
    ? "The rule looks at every signal."
    : `The rule looks at the signal: it selects it ${parts.join(", ")}.`;
};

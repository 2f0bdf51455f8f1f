import type { z } from "zod";
import type { BacktestAnswer, BacktestFiring, BacktestFlapping } from "../../schemas/backtest.ts";
import type { ExplainAnswer } from "../../schemas/explain.ts";
import { counted, shown, type Terminal } from "./terminal.ts";

type Tested = z.input<typeof BacktestAnswer>;
type Explained = z.input<typeof ExplainAnswer>;
/** The name of a signal by its id. */
export type NameOf = (id: string) => string;

/** Firings that a person is shown. */
const SHOWN_MAX = 50;

const number = new Intl.NumberFormat("en-US");
const duration = (seconds: number): string => {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${(seconds / 3_600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} d`;
};

const firingLine = (
  { signalId, from, to, severity, worst, stepCount }: z.input<typeof BacktestFiring>,
  nameOf: NameOf,
): string => {
  const long = to === null ? "fires still" : duration((Date.parse(to) - Date.parse(from)) / 1000);
  const stepped = stepCount === 0 ? "" : `  (${counted(stepCount, "step")} of severity)`;
  const figures = [long.padStart(11), String(worst ?? "").padStart(10), severity.padEnd(8)];
  return `${[from, ...figures, nameOf(signalId)].join("  ")}${stepped}`;
};

const flappingLines = (
  { signalId, changes, remedies }: z.input<typeof BacktestFlapping>,
  nameOf: NameOf,
): string[] => [
  `flaps: ${nameOf(signalId)}, ${number.format(changes)} changes`,
  ...remedies.map(({ change, changes: after }) => {
    const settings = Object.entries(change).map(([name, value]) => `${name} ${value}`);
    return `  with ${settings.join(" and ")}: ${counted(after, "change")}`;
  }),
];

/** The signals that `backtestLines` names. */
export const shownSignals = ({ firings, summary: { flapping } }: Tested): ReadonlySet<string> =>
  new Set([...firings.slice(0, SHOWN_MAX), ...flapping].map(({ signalId }) => signalId));

/** What a backtest found, for a person. */
export const backtestLines = (
  { from, to, firings, summary, approximated = [] }: Tested,
  { paint }: Terminal,
  nameOf: NameOf,
): string[] => {
  const figures = ["FOR".padStart(11), "WORST".padStart(10), "SEVERITY"];
  const heading = ["FROM".padEnd(24), ...figures, "SIGNAL"].join("  ");
  const left = summary.firings - Math.min(firings.length, SHOWN_MAX);
  const fires =
    summary.firings === 0
      ? paint("green", "would not have fired")
      : paint(
          "yellow",
          `would have fired ${counted(summary.firings, "time")} on ${counted(summary.signals, "signal")}`,
        );
  return [
    ...(firings.length === 0 ? [] : [paint("dim", heading)]),
    ...firings.slice(0, SHOWN_MAX).map((firing) => firingLine(firing, nameOf)),
    ...(left > 0 ? [`… and ${number.format(left)} more (--json has up to 1,000)`] : []),
    ...summary.flapping.flatMap((flapping) => flappingLines(flapping, nameOf)),
    `${fires}, of ${counted(summary.selected, "signal")} selected, in ${counted(summary.readings, "reading")} from ${from} to ${to}`,
    ...approximated.map((sentence) => paint("dim", `note: ${shown(sentence)}`)),
  ];
};

/** Why a rule fires or not, for a person. */
export const explainLines = (
  { outcome, summary, steps, readings }: Explained,
  { paint }: Terminal,
): string[] => [
  ...steps.map(({ at, text }) => `${(at ?? "").padEnd(24)}  ${shown(text)}`),
  ...(readings.length === 0 ? [] : [paint("dim", "newest readings:")]),
  ...readings.map(({ at, text }) => `${at}  ${shown(text)}`),
  `${paint(outcome === "firing" ? "red" : "green", outcome)}: ${shown(summary)}`,
];

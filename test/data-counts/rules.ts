import { readFileSync } from "node:fs";
import { z } from "zod";
import type { AlertData } from "../../schemas/alert.ts";
import type { RuleCreate } from "../../schemas/rule.ts";

export const Count = z.strictObject({
  firings: z.number(),
  resolved: z.number(),
  stepsUp: z.number(),
  stepsDown: z.number(),
});
export type Count = z.infer<typeof Count>;
export const Counts = z.object({
  readings: z.number(),
  firstAt: z.number(),
  lastAt: z.number(),
  counts: z.record(z.string(), Count),
});
/** What `counts.py` has counted. */
export const COUNTED = Counts.parse(
  JSON.parse(readFileSync(new URL("counts.json", import.meta.url), "utf8")),
);

const LADDER = [
  { severity: "info" as const, value: -95 },
  { severity: "warning" as const, value: -105 },
  { severity: "critical" as const, value: -115 },
];
/** The rules of `counts.py`, in the words of the service. */
export const RULES: Readonly<Record<string, Omit<typeof RuleCreate._zod.input, "name">>> = {
  "below -100": { condition: { operator: "below", value: -100 } },
  "above -90": { condition: { operator: "above", value: -90 } },
  "outside -115 to -85, hysteresis 2": {
    condition: { operator: "outside", value: -115, upper: -85, hysteresis: 2 },
  },
  "change of 15 dB over 60 s": { condition: { operator: "change", value: 15, overSeconds: 60 } },
  "fall of 20 dB over 120 s, hysteresis 5": {
    condition: { operator: "change", value: 20, overSeconds: 120, direction: "fall", hysteresis: 5 },
  },
  "quality below 0.25 from -120 to -60": { condition: { metric: "quality", operator: "below", value: 0.25 } },
  "levels below -95, -105, -115": { condition: { operator: "below" }, levels: LADDER },
  "levels with waits of 6 s and 9 s": {
    condition: { operator: "below" },
    levels: LADDER,
    forSeconds: 6,
    keepFiringForSeconds: 9,
  },
  "below -100 for 5 s, kept for 15 s": {
    condition: { operator: "below", value: -100 },
    forSeconds: 5,
    keepFiringForSeconds: 15,
  },
  "below the label's -105.5": { condition: { operator: "below", valueFrom: { label: "limit" } } },
  "below -100 from 16:00 to 16:20 in Sao Paulo": {
    condition: { operator: "below", value: -100 },
    schedule: { timeZone: "America/Sao_Paulo", windows: [{ from: "16:00", to: "16:20" }] },
  },
};
/** What the signal of the walk says of itself. */
export const SIGNAL = { floorDbm: -120, ceilingDbm: -60, labels: { limit: " -105.5 " } };

const HARDNESS = ["info", "warning", "critical"];
interface Told {
  readonly event: string;
  readonly data: {
    readonly alert?: Pick<AlertData, "severity" | "previousSeverity" | "flapping"> | undefined;
  };
}

/** How often the alert began, ended and took a step; what sums up flapping tells of nothing new. */
export const counted = (events: readonly Told[]): Count => {
  const alerts = (kind: string) =>
    events.flatMap(({ event, data: { alert } }) =>
      event === kind && alert !== undefined && alert.flapping?.state !== "ended" ? [alert] : [],
    );
  const firing = alerts("alert.firing");
  const steps = firing.flatMap(({ severity, previousSeverity: before }) =>
    before === undefined ? [] : [HARDNESS.indexOf(severity) - HARDNESS.indexOf(before)],
  );
  return {
    firings: firing.length - steps.length,
    resolved: alerts("alert.resolved").length,
    stepsUp: steps.filter((step) => step > 0).length,
    stepsDown: steps.filter((step) => step < 0).length,
  };
};

/** What the reference judges: one signal with its own threshold, one rule `below`, both as DESIGN.md words them. */
export interface ReferenceSettings {
  readonly floorDbm: number;
  readonly ceilingDbm: number;
  readonly threshold: number;
  readonly hysteresis: number;
  readonly ruleBelowDbm: number;
  readonly ruleHysteresisDb: number;
}

/**
 * Judges strengths one by one and gives the kinds of events each causes. Written from DESIGN.md alone, with no clock,
 * and shares no line with the evaluator.
 */
export const referenceEvents = (settings: ReferenceSettings, strengths: readonly number[]): string[][] => {
  const single = new Float32Array(1);
  const asStored = (value: number): number => {
    single[0] = value;
    return single[0] ?? 0;
  };
  let tooWeak = false;
  let firing = false;
  return strengths.map((strength) => {
    const wasFailed = tooWeak || firing;
    const wasFiring = firing;
    const span = settings.ceilingDbm - settings.floorDbm;
    let quality = (asStored(strength) - settings.floorDbm) / span;
    if (quality < 0) quality = 0;
    if (quality > 1) quality = 1;

    if (asStored(quality) < asStored(settings.threshold)) tooWeak = true;
    let recoversAt = settings.threshold + settings.hysteresis;
    if (recoversAt > 1) recoversAt = 1;
    if (tooWeak && asStored(quality) >= asStored(recoversAt)) tooWeak = false;

    if (asStored(strength) < asStored(settings.ruleBelowDbm)) firing = true;
    else if (asStored(strength) >= asStored(settings.ruleBelowDbm + settings.ruleHysteresisDb))
      firing = false;

    const events: string[] = [];
    if (firing && !wasFiring) events.push("alert.firing");
    if (wasFiring && !firing) events.push("alert.resolved");
    const isFailed = tooWeak || firing;
    if (isFailed && !wasFailed) events.push("signal.failed");
    if (wasFailed && !isFailed) events.push("signal.updated");
    return events;
  });
};

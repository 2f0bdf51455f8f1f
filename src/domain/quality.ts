/** What strength means quality 0 and 1 of a signal. */
export interface Scale {
  readonly floorDbm: number;
  readonly ceilingDbm: number;
}

/** quality = clamp((strength - floor) / (ceiling - floor), 0, 1); strengths in dBm, `ceilingDbm` above `floorDbm`. */
export const qualityOf = (strengthDbm: number, floorDbm: number, ceilingDbm: number): number =>
  Math.min(1, Math.max(0, (strengthDbm - floorDbm) / (ceilingDbm - floorDbm)));

/** Quality as answers and events show it, to six decimals: the finest strength, 0.0001 dB of 250, still moves it. */
export const shownQuality = (strengthDbm: number, floorDbm: number, ceilingDbm: number): number =>
  Math.round(qualityOf(strengthDbm, floorDbm, ceilingDbm) * 1e6) / 1e6;

/** dBm as answers show them, to four decimals: as many as a reading has, and fewer than a Float32 is off. Never -0. */
export const shownDbm = (dbm: number): number => Math.round(dbm * 1e4) / 1e4 + 0;

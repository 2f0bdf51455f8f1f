/** quality = clamp((strength - floor) / (ceiling - floor), 0, 1); strengths in dBm, `ceilingDbm` above `floorDbm`. */
export const qualityOf = (strengthDbm: number, floorDbm: number, ceilingDbm: number): number =>
  Math.min(1, Math.max(0, (strengthDbm - floorDbm) / (ceilingDbm - floorDbm)));

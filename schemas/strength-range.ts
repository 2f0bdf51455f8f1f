/** Strength in dBm: the range that a reading may have; without the validators, for those who only draw. */
export const STRENGTH_MIN_DBM = -200;
export const STRENGTH_MAX_DBM = 50;

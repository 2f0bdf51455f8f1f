import type { Terminal } from "./terminal.ts";

/** As the service shows it to people: `-61.5 dBm`. */
export const dbm = (strength: number | null): string =>
  strength === null ? "no reading" : `${strength.toFixed(1)} dBm`;
export const percent = (quality: number | null): string =>
  quality === null ? "" : `${Math.round(quality * 100)} %`;

const STYLES = { active: "green", failed: "red", paused: "yellow" } as const;
export const paintedStatus = (
  { paint }: Terminal,
  status: keyof typeof STYLES,
  width: number = status.length,
): string => paint(STYLES[status], status.padEnd(width));

import { getPriority, setPriority } from "node:os";

const NICEST = 19;

/**
 * Makes a thread nicer by so much than the calling one is, which is what it began as: to begin nice, as under `nice` or
 * systemd's `Nice=`, is anybody's right, to be less nice again is not. Thread 0: the calling one itself. On Linux alone,
 * where a thread has a niceness of its own (setpriority(2)); elsewhere nothing happens.
 */
export const beNicer = (by: number, thread = 0): void => {
  if (process.platform === "linux") setPriority(thread, Math.min(NICEST, getPriority(0) + by));
};

import type { Source } from "./types.ts";

const BEGUN_EVERY_MS = 1_000;
const EVERY_MS = 5_000;

/** How often to ask how a source is: whoever has just saved it waits for it to be connected, and for what it says first. */
export const sourceEveryMs = (source: Pick<Source, "state" | "lastMessageAt"> | undefined): number => {
  const begins = source?.state === "connected" && source.lastMessageAt === null;
  return begins || source?.state === "connecting" ? BEGUN_EVERY_MS : EVERY_MS;
};

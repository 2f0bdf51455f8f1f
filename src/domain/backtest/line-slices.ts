import type { Slices } from "../evaluation/pace.ts";
import { BlockScan, type LineView, scanBlock } from "../reading-line.ts";

/** What a slice comes to: as many microseconds, about. */
const SLICE_COST = 4_000;

/** What is known of it, about in microseconds: a reading under one rule, and what an event adds. */
export const COSTS = { reading: 1, event: 40 } as const;

/** Takes a line, and says what it cost: about its microseconds. */
export type TakeLine = (block: Uint8Array, view: LineView) => number;

/** Visits the lines of stored readings, and rests every few milliseconds; `refused` hears of what is no line. */
export function* lineSlices(block: Uint8Array, take: TakeLine, refused: () => void): Slices {
  const scan = new BlockScan();
  let spent = 0;
  const visitor = {
    line: (bytes: Uint8Array, view: LineView) => {
      spent += take(bytes, view);
      scan.rests = spent >= SLICE_COST;
    },
    invalid: refused,
  };
  // Its time says nothing against a reading that is stored.
  scanBlock(block, Number.POSITIVE_INFINITY, visitor, scan);
  while (scan.rests) {
    yield;
    spent = 0;
    scan.rests = false;
    scanBlock(block, Number.POSITIVE_INFINITY, visitor, scan);
  }
}

import { rounded } from "./bench.ts";
import { FEED } from "./feeds.ts";
import { frameOf } from "./frames.ts";
import { quantile } from "./quantiles.ts";

const TRIES = 9;
const TRY_MS = 40;
/** What stands before the payload of a frame of 126 to 65,535 bytes (RFC 6455, section 5.2). */
const HEAD_BYTES = 4;

/** What figures call it. */
export const YARDSTICK = "JSON.parse, µs a reading";

/**
 * How fast the machine is just now, for figures of another hour to be set against: microseconds that JSON.parse takes
 * for a reading of the frames that most benches send, on one core with nothing beside it. The median of some tries.
 */
export const yardstick = (): number => {
  const text = frameOf(FEED, 0, 0).subarray(HEAD_BYTES).toString();
  const tries = Array.from({ length: TRIES }, () => {
    const from = performance.now();
    let frames = 0;
    do {
      JSON.parse(text);
      frames++;
    } while (performance.now() - from < TRY_MS);
    return ((performance.now() - from) * 1_000) / (frames * FEED.readingsPerFrame);
  });
  return rounded(
    quantile(
      tries.sort((a, b) => a - b),
      0.5,
    ),
    2,
  );
};

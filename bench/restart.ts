import { z } from "zod";
import { until } from "../test/support/until.ts";
import { type Figures, rounded } from "./bench.ts";
import { stageCounts } from "./stages.ts";
import type { Subject } from "./subject.ts";

const EVALUATED_MAX_MS = 120_000;
const DIPS = { perSecond: 20, seconds: 120, untilTold: true };
const Dipped = z.object({ firstToldAtMs: z.number().nullable() });

/**
 * Kills the service and starts it again at once, beside a flow of readings that goes on. Seconds are from that start:
 * until it is ready, has evaluated a reading (of those that the log held), and has told of one sent since.
 */
export const recover = async (subject: Subject, readingsPerSecond: number): Promise<Figures> => {
  await subject.stop("SIGKILL");
  const [from, fromMs] = [performance.now(), Date.now()];
  const ready = await subject.launch();
  await until(
    "a reading to be evaluated",
    async () => (await stageCounts(subject.api)).evaluated > 0,
    EVALUATED_MAX_MS,
  );
  const evaluated = (performance.now() - from) / 1_000;
  const { generator, api, key } = subject;
  await generator.answer({ order: "watch", url: api.url, key });
  await subject.pace(readingsPerSecond);
  const { firstToldAtMs } = Dipped.parse(await generator.answer({ order: "dips", ...DIPS }));
  if (firstToldAtMs === null) throw new Error(`no alert came within ${DIPS.seconds} s of what was sent`);
  return {
    "s to ready, after SIGKILL": rounded(ready, 2),
    "s to the first evaluated reading": rounded(evaluated, 2),
    "s to the first alert": rounded((firstToldAtMs - fromMs) / 1_000, 2),
  };
};

/** Seconds of a shutdown that leaves nothing undone, and of the start after it. */
export const restart = async (subject: Subject): Promise<Figures> => {
  const from = performance.now();
  await subject.stop("SIGTERM");
  const stopped = (performance.now() - from) / 1_000;
  const started = await subject.launch();
  return { "s to stop": rounded(stopped, 2), "s to ready": rounded(started, 2) };
};

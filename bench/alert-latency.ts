import { z } from "zod";
import { type Measured, rounded, wait } from "./bench.ts";
import { latencies } from "./quantiles.ts";
import { Sampler } from "./sampler.ts";
import { stageCounts, stageRates } from "./stages.ts";
import type { Subject } from "./subject.ts";

const WARM_UP_SECONDS = 5;
const Dipped = z.object({
  readings: z.number(),
  seconds: z.number(),
  samples: z.array(z.number()),
  missing: z.number(),
});

/** From a frame sent to its `signal.failed` on `/v1/stream`, on one clock, beside a steady flow of readings. */
export const alertLatency = async (
  subject: Subject,
  load: {
    readonly readingsPerSecond: number;
    readonly dipsPerSecond: number;
    readonly seconds: number;
    readonly warmUpSeconds?: number;
  },
): Promise<Omit<Measured, "name">> => {
  const { generator, api, key } = subject;
  await generator.answer({ order: "watch", url: api.url, key });
  await subject.steady(load.readingsPerSecond);
  await wait(load.warmUpSeconds ?? WARM_UP_SECONDS);
  const [before, sampler, from] = [await stageCounts(api), new Sampler(subject.watched()), performance.now()];
  const { dipsPerSecond: perSecond, seconds } = load;
  const dipped = Dipped.parse(await generator.answer({ order: "dips", perSecond, seconds }));
  const [after, took] = [await stageCounts(api), (performance.now() - from) / 1_000];
  const { readings, figures: passed } = stageRates(before, after, took);
  const { figures, mibOverTime } = sampler.end(readings);
  return {
    figures: {
      "sent/s": rounded(dipped.readings / dipped.seconds),
      "readings/s": passed["readings/s"] ?? 0,
      ...latencies(dipped.samples),
      failures: dipped.samples.length,
      untold: dipped.missing,
      ...figures,
    },
    detail: { mibOverTime },
  };
};

import { z } from "zod";
import { type Figures, rounded, wait } from "./bench.ts";
import { latencies } from "./quantiles.ts";
import { Sampler } from "./sampler.ts";
import type { Subject } from "./subject.ts";

const WARM_UP_SECONDS = 5;
const Measured = z.object({
  readings: z.number(),
  seconds: z.number(),
  samples: z.array(z.number()),
  missing: z.number(),
});

/** From a frame sent to its `signal.failed` on `/v1/stream`, on one clock, beside a steady flow of readings. */
export const alertLatency = async (
  subject: Subject,
  load: { readonly readingsPerSecond: number; readonly dipsPerSecond: number; readonly seconds: number },
): Promise<Figures> => {
  const { generator, api, key } = subject;
  await generator.answer({ order: "watch", url: api.url, key });
  await subject.pace(load.readingsPerSecond);
  await wait(WARM_UP_SECONDS);
  const sampler = new Sampler(subject.watched());
  const { dipsPerSecond: perSecond, seconds } = load;
  const measured = Measured.parse(await generator.answer({ order: "dips", perSecond, seconds }));
  const { figures } = sampler.end(measured.readings);
  return {
    "readings/s": rounded(measured.readings / measured.seconds),
    ...latencies(measured.samples),
    failures: measured.samples.length,
    untold: measured.missing,
    ...figures,
  };
};

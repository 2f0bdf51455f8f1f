import type { Recommendation } from "../../../schemas/analysis.ts";
import type { Figures } from "../../domain/analysis/figures.ts";
import { type JudgedSettings, recommending } from "../../domain/analysis/recommendations.ts";
import type { Clock } from "../../ports/clock.ts";

/** Others have their turn between two slices. */
export const recommend = async (
  clock: Clock,
  figures: Figures,
  settings: JudgedSettings,
): Promise<Recommendation[]> => {
  const slices = recommending(figures, settings);
  for (;;) {
    const { done, value } = slices.next();
    if (done === true) return value;
    await clock.sleep(0);
  }
};

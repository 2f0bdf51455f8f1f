import { Labels } from "../../schemas/common.ts";
import { type ProblemError, validationFailed } from "./problem.ts";
import { fieldProblemsOf } from "./validation.ts";

const refused = (message: string): ProblemError => validationFailed([{ path: "label", message }]);

/** Of `label=k:v`, several times, of which all must match; null: none can, as one key is to have two values. */
export const labelsOf = (pairs: readonly string[]): Labels | null => {
  const asked = new Map<string, string>();
  for (const pair of pairs) {
    const colon = pair.indexOf(":");
    const [key, value] = [pair.slice(0, colon), pair.slice(colon + 1)];
    // A record leaves it out without a word, and the filter with it.
    if (key === "__proto__") throw refused("must not be called __proto__");
    if ((asked.get(key) ?? value) !== value) return null;
    asked.set(key, value);
  }
  const labels = Labels.safeParse(Object.fromEntries(asked));
  if (labels.success) return labels.data;
  throw refused(fieldProblemsOf(labels.error)[0]?.message ?? "is not a label");
};

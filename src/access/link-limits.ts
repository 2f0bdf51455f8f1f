import { LINK_LIMITS } from "../domain/access/limits.ts";
import type { Within } from "./parts.ts";

/**
 * Counts one more link to somebody, by the `name` of what it is for. How long until one may be sent; null: now. What is
 * refused counts for nothing.
 */
export const countLink = async (
  { access: { attempts } }: Pick<Within, "access">,
  name: string,
): Promise<number | null> => {
  const limits = LINK_LIMITS.map((limit) => ({ name, limit }));
  const waitMs = await attempts.count(limits);
  if (waitMs !== null) await attempts.uncount(limits);
  return waitMs;
};

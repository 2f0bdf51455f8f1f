import type { Severity } from "./queries.ts";

const WORST_FIRST: readonly Severity[] = ["critical", "warning", "info"];

interface AlertsPage<One> {
  readonly alerts: readonly One[];
  readonly nextCursor: string | null;
}

/**
 * The worst of some alerts, `max` at the most; `isWhole`: there are no others. `page` gives the newest of a severity, or
 * of all, as many as `max`: where those of all are too many, the worst may not be among them.
 */
export const worstAlerts = async <One extends { readonly id: string }>(
  max: number,
  page: (severity?: Severity) => Promise<AlertsPage<One>>,
): Promise<{ readonly alerts: readonly One[]; readonly isWhole: boolean }> => {
  const newest = await page();
  if (newest.nextCursor === null) return { alerts: newest.alerts, isWhole: true };
  const pages = await Promise.all(WORST_FIRST.map((severity) => page(severity)));
  // One whose severity changes meanwhile may be in two of them: the worse one stays.
  const found = new Map<string, One>();
  for (const one of pages.flatMap(({ alerts }) => alerts)) if (!found.has(one.id)) found.set(one.id, one);
  const isWhole = found.size <= max && pages.every(({ nextCursor }) => nextCursor === null);
  return { alerts: [...found.values()].slice(0, max), isWhole };
};

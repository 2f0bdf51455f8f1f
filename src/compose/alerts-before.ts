import type { AlertId } from "../../schemas/common.ts";
import type { ToldAlert } from "../domain/told-alert.ts";
import type { ControlStore } from "../ports/control-store.ts";
import type { TimeSeries } from "../ports/time-series.ts";

const TAKEN = "alerts_before";
const PAGE = 1_000;

/**
 * Once: alerts that began to fire before control data kept alerts, so that they are seen, and can be taken on, before
 * anything more happens to them. What events tell meanwhile is newer, and stays.
 */
export const takeAlertsBefore = async (
  { facts, alerts }: Pick<ControlStore, "facts" | "alerts">,
  timeSeries: Pick<TimeSeries, "firingAlerts">,
): Promise<void> => {
  if ((await facts.get(TAKEN)) !== null) return;
  for (let after: AlertId | null = null; ; ) {
    const page: ToldAlert[] = await timeSeries.firingAlerts(after, PAGE);
    await alerts.project(page);
    after = page.at(-1)?.alert.id ?? null;
    if (page.length < PAGE) break;
  }
  await facts.set(TAKEN, "taken");
};

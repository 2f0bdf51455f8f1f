import { expect, it } from "vitest";
import { takeAlertsBefore } from "../../src/compose/alerts-before.ts";
import type { ToldAlert } from "../../src/domain/told-alert.ts";
import { toldOf } from "../conformance/control-store/alerts.ts";
import { MINE } from "../conformance/control-store/examples.ts";
import { openTestControl } from "../support/engines.ts";

/** What a time series knows to fire: its queries have tests of their own. */
const knowing = (...told: ToldAlert[]) => ({ firingAlerts: async () => told });

it("alerts that fired before are taken over once, and newer words about them stay", async () => {
  const control = await openTestControl();
  const [newer, older] = [toldOf(1, { severity: "critical" }, 5), toldOf(1)];
  await control.alerts.project([newer]);
  await takeAlertsBefore(control, knowing(older, toldOf(2)));
  const firing = () => control.alerts.list("firing", { accountId: MINE, limit: 10 });
  expect(await firing()).toEqual([toldOf(2), newer]);
  await takeAlertsBefore(control, knowing(toldOf(3)));
  expect(await firing()).toEqual([toldOf(2), newer]);
});

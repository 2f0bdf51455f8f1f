import { expect, test } from "vitest";
import { serverClock } from "../../src/dashboard/api/server-clock.ts";
import { pretendBrowser } from "./browser.ts";

pretendBrowser();
const { untold } = await import("../../src/dashboard/pages/alerts/told.ts");

const told = (agoMs: number, alert: Parameters<typeof untold>[0]["data"]["alert"] = {}) => ({
  event: "alert.firing" as const,
  createdAt: new Date(serverClock.now() - agoMs).toISOString(),
  data: { alert },
});
const HOUR_MS = 3_600_000;
const asking = { id: "whk_1", events: ["alert.firing" as const] };
const ofElse = { id: "whk_2", events: ["source.connected" as const] };

test("an event that no webhook asks for was told to nobody, as far as it can be known", () => {
  for (const webhooks of [[], [ofElse]])
    expect(untold(told(0), webhooks)).toEqual({ whom: "nobody", how: "no webhook asks for it" });
  expect(untold(told(0, { notify: { webhookIds: ["whk_3"] } }), [asking]).whom).toBe("nobody");
  expect(untold(told(HOUR_MS), []).how).toBe("no webhook asks for it, unless one that did is gone");
});

test("an event that a webhook asks for may be on its way, or was before the webhook", () => {
  const whom = "not known";
  expect(untold(told(0), [asking])).toEqual({ whom, how: "no delivery of it is recorded yet" });
  expect(untold(told(HOUR_MS), [asking])).toEqual({ whom, how: "no webhook of today has a delivery of it" });
});

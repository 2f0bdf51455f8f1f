import { expect, it } from "vitest";
import { z } from "zod";
import { Alert } from "../../schemas/alert.ts";
import type { SignalServiceEvent } from "../../schemas/event.ts";
import { DeliveriesAnswer } from "../../schemas/webhook.ts";
import { Mast } from "../support/mast.ts";
import { until } from "../support/until.ts";

const MS = 60_000;
const TIMEOUT_MS = 300_000;
const Silence = z.looseObject({ id: z.string(), state: z.string() });

const alertIn = ({ data: { alert } }: SignalServiceEvent) => {
  if (alert === undefined) throw new Error("an event without an alert");
  return alert;
};
const told = (mast: Mast, kind?: string) =>
  mast.receiver.told().filter(({ event }) => kind === undefined || event === kind);
/** The nth event of a kind that came to the webhook, from 1. */
const nth = (mast: Mast, kind: string, n: number) =>
  until(`${kind} ${n} at the webhook`, () => told(mast, kind)[n - 1], MS);

/** Every event of a signal, once there are so many. */
const wholeStory = (mast: Mast, signalId: string, count: number) =>
  until(
    `${count} events`,
    async () => {
      const events = await mast.events(`signalId=${signalId}`);
      return events.length >= count && events;
    },
    MS,
  );

const expectToldOnce = (events: readonly SignalServiceEvent[]) => {
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
};

it(
  "tells of an alert from firing to its end, by signed webhooks and in lists, once each over kills",
  async () => {
    const mast = await Mast.start([
      ["roof", -60],
      ["roof", -80],
      ["roof", -95],
      ["roof", -82],
      ["roof", -60],
    ]);
    const { receiver, ruleId } = mast;
    mast.send();
    const { id: signalId } = await mast.signal("roof", -60);
    const begun = new Date().toISOString();

    mast.send();
    const fired = alertIn(await nth(mast, "alert.firing", 1));
    expect(fired).toMatchObject({ ruleId, ruleName: "weak", severity: "warning", state: "firing" });
    expect(fired).toMatchObject({ value: -80, limit: -75 });
    await nth(mast, "signal.failed", 1);
    const { id } = fired;
    expect(await mast.alerts("state=firing")).toMatchObject([{ id, signalId, severity: "warning" }]);

    // It escalates, and the process dies while the receiver has not answered yet.
    receiver.answers = false;
    const requests = receiver.requests();
    mast.send();
    await until("the escalation to be sent", () => receiver.requests() > requests, MS);
    await mast.killAndRestart();
    receiver.answers = true;
    await until("it to be sent again", () => receiver.requests() > requests + 1, MS);
    const escalation = { id, severity: "critical", previousSeverity: "warning", value: -95, limit: -90 };
    expect(alertIn(await nth(mast, "alert.firing", 2))).toMatchObject(escalation);
    expect(await mast.alerts("state=firing")).toMatchObject([{ id, severity: "critical" }]);

    const note = "on my way";
    const path = `/v1/alerts/${id}/acknowledge`;
    const { acknowledged } = await mast.api.expect(Alert, "POST", path, { note });
    expect(acknowledged).toMatchObject({ by: expect.stringMatching(/^key_/), note });
    expect(Date.parse(acknowledged?.at ?? "")).toBeGreaterThan(Date.parse(begun));
    expect(alertIn(await nth(mast, "alert.acknowledged", 1))).toMatchObject({ id, acknowledged });
    // Whoever comes later learns who was first.
    expect(await mast.api.expect(Alert, "POST", path, { note: "me too" })).toMatchObject({ acknowledged });
    await until("the list to say so", async () => (await mast.alert(id)).acknowledged !== null, MS);

    await mast.killAndRestart();
    mast.send();
    const down = {
      id,
      severity: "warning",
      previousSeverity: "critical",
      value: -82,
      limit: -75,
      acknowledged,
    };
    expect(alertIn(await nth(mast, "alert.firing", 3))).toMatchObject(down);

    mast.send();
    const resolved = alertIn(await nth(mast, "alert.resolved", 1));
    expect(resolved).toMatchObject({ id, state: "resolved", resolveReason: "recovered", acknowledged });
    await nth(mast, "signal.updated", 1);
    await mast.killAndRestart();

    const whole = { id, signalId, ruleId, state: "resolved", acknowledged, firedAt: fired.firedAt };
    expect(await mast.alerts("state=firing")).toEqual([]);
    const same = `state=resolved&signalId=${signalId}&ruleId=${ruleId}&severity=warning&from=${begun}`;
    for (const query of ["", same]) expect(await mast.alerts(query)).toMatchObject([whole]);
    for (const other of ["severity=critical", `to=${begun}`, `from=${new Date().toISOString()}`])
      expect(await mast.alerts(other)).toEqual([]);
    expect(await mast.api.call("POST", path, {})).toMatchObject({ status: 409 });

    const events = await wholeStory(mast, signalId, 8);
    expectToldOnce(events);
    // Every event but the first came to the webhook, as the very same object.
    await until("all deliveries", () => told(mast).length >= events.length - 1, MS);
    expect(told(mast)).toEqual(events.slice(1));
    expect(events.map(({ event }) => event)).toEqual([
      "signal.created",
      "alert.firing",
      "signal.failed",
      "alert.firing",
      "alert.acknowledged",
      "alert.firing",
      "alert.resolved",
      "signal.updated",
    ]);
  },
  TIMEOUT_MS,
);

it(
  "keeps what a silence covers to itself, marked, and tells of it once when the silence ends",
  async () => {
    const mast = await Mast.start([
      ["roof", -60],
      ["cellar", -60],
      ["roof", -80],
      ["cellar", -80],
      ["roof", -60],
    ]);
    mast.send(2);
    const { id: roof } = await mast.signal("roof", -60);
    const { id: cellar } = await mast.signal("cellar", -60);
    const end = new Date(Date.now() + 3_600_000).toISOString();
    const body = { select: { signalIds: [roof] }, until: end, reason: "work on the mast" };
    const { id: silencedBy } = await mast.api.expect(Silence, "POST", "/v1/alerts/silences", body);

    // Both fail, and only one of them is heard of.
    mast.send(2);
    expect((await nth(mast, "signal.failed", 1)).data.signal?.id).toBe(cellar);
    const hushed = await until(
      "the silenced events to be stored",
      async () => {
        const events = await mast.events(`signalId=${roof}&event=alert.firing&event=signal.failed`);
        return events.length === 2 && events;
      },
      MS,
    );
    expect(hushed.map(({ data }) => data.silencedBy)).toEqual([silencedBy, silencedBy]);
    const listed = async () => (await mast.alerts(`signalId=${roof}`))[0];
    const firing = await until("the alert in the list", listed, MS);
    expect(firing).toMatchObject({ state: "firing", silencedBy });
    await mast.killAndRestart();
    expect(told(mast).map(({ data }) => data.signal?.id)).toEqual([cellar, cellar]);

    // It ends by its time, and what goes on is told.
    const soon = new Date(Date.now() + 500).toISOString();
    await mast.api.expect(Silence, "PATCH", `/v1/alerts/silences/${silencedBy}`, { until: soon });
    const repeated = alertIn(await nth(mast, "alert.firing", 2));
    expect(repeated).toMatchObject({ id: firing.id, state: "firing", repeatOf: hushed[0]?.id });
    expect((await nth(mast, "signal.failed", 2)).data).toMatchObject({ repeatOf: hushed[1]?.id });
    await mast.killAndRestart();
    mast.send();
    await nth(mast, "alert.resolved", 1);
    await nth(mast, "signal.updated", 1);
    expect(await mast.alert(firing.id)).toMatchObject({ state: "resolved", silencedBy: null });
    expect(await mast.api.expect(Silence, "GET", `/v1/alerts/silences/${silencedBy}`)).toMatchObject({
      state: "expired",
    });

    const events = await wholeStory(mast, roof, 7);
    expectToldOnce(events);
    const heard = events.filter(
      ({ event, data }) => event !== "signal.created" && data.silencedBy === undefined,
    );
    expect(heard).toHaveLength(4);
    expect(told(mast).filter(({ data }) => data.signal?.id === roof)).toEqual(heard);
    const hook = `/v1/integrations/webhooks/${mast.webhookId}/deliveries`;
    const { deliveries } = await mast.api.expect(DeliveriesAnswer, "GET", hook);
    expect(deliveries.map(({ eventId }) => eventId)).not.toContain(hushed[0]?.id);
  },
  TIMEOUT_MS,
);

import { describe, expect, test } from "vitest";
import { SignalId } from "../../schemas/common.ts";
import { RuleAnswer } from "../../schemas/rule.ts";
import { Silence, SilenceAnswer, SilencesAnswer } from "../../schemas/silence.ts";
import { toldOf } from "../conformance/control-store/alerts.ts";
import { sharedServe } from "../support/serve.ts";

const shared = sharedServe();
const BASE = "/v1/alerts/silences";
const HOUR_MS = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const aSilence = (fields: object = {}) => ({ until: inHours(1), reason: "works", ...fields });
const daily = (timeZone: string, fields: object = {}) => ({
  timeZone,
  windows: [{ from: "08:00", to: "17:00", ...fields }],
});
const create = async (fields: object = {}) =>
  shared.serve.api.expect(SilenceAnswer, "POST", BASE, aSilence(fields));

describe("silences over HTTP", () => {
  test("are created, read, listed, changed and deleted, each change under its ETag", async () => {
    const { api } = shared.serve;
    const created = await api.call("POST", BASE, aSilence({ select: { labels: { site: "north" } } }));
    expect([created.status, created.headers.get("etag")]).toEqual([201, '"1"']);
    const { warnings, ...silence } = SilenceAnswer.parse(created.body);
    expect(warnings).toEqual([{ path: "select", message: "matches no signal as yet" }]);
    const [key] = (await shared.engines.control.apiKeys.list(shared.engines.accountId, { limit: 1 })).items;
    expect(silence).toMatchObject({ state: "active", ruleIds: null, schedule: null, createdBy: key?.id });
    const path = created.headers.get("location") ?? "";
    expect(path).toBe(`${BASE}/${silence.id}`);
    expect((await api.call("GET", path)).body).toEqual(silence);
    const listed = await api.expect(SilencesAnswer, "GET", BASE);
    expect(listed.silences).toContainEqual(silence);
    const patched = await api.call("PATCH", path, { until: inHours(2), reason: "more works" });
    expect([patched.status, patched.headers.get("etag")]).toEqual([200, '"2"']);
    expect({ ...Silence.parse((await api.call("GET", path)).body), warnings }).toEqual(patched.body);
    const stale = await fetch(shared.serve.url + path, {
      method: "DELETE",
      headers: { ...api.authorization, "If-Match": '"1"' },
    });
    expect(stale.status).toBe(412);
    expect((await api.call("DELETE", path)).status).toBe(204);
    expect((await api.call("GET", path)).status).toBe(404);
  });

  test("say whether they are to come, active or over, whatever the offset of their times", async () => {
    const { api } = shared.serve;
    const berlin = `${inHours(2).slice(0, 19)}+01:00`;
    expect(await create({ until: berlin })).toMatchObject({ until: new Date(berlin).toISOString() });
    expect(await create({ from: inHours(1), until: inHours(2) })).toMatchObject({ state: "pending" });
    const { id, from } = await create({ from: inHours(-1) });
    const ended = await api.call("PATCH", `${BASE}/${id}`, {
      until: new Date(Date.parse(from) + 1).toISOString(),
    });
    expect(ended.body).toMatchObject({ state: "expired" });
    const schedule = { timeZone: "Europe/Berlin", windows: [{ days: ["sun"], from: "22:00", to: "06:00" }] };
    expect(await create({ until: undefined, schedule })).toMatchObject({
      state: "active",
      until: null,
      schedule,
    });
  });

  test("that last until alerts resolve are active for as long as one of them fires", async () => {
    const { engines, serve } = shared;
    const { signals } = await serve.api.client.post("/v1/signals", { body: { name: "s", threshold: 0.4 } });
    const [signal] = signals;
    if (signal === undefined) throw new Error("no signal");
    const select = { signalIds: [signal.id] };
    const last = { select, until: undefined, untilResolved: true };
    expect(await create(last)).toMatchObject({ state: "expired" });
    const firing = { ...toldOf(40), accountId: engines.accountId };
    const of = (fields: object, sequence: number) => ({
      ...firing,
      sequence,
      alert: { ...firing.alert, signalId: SignalId.parse(signal.id), ...fields },
    });
    await engines.control.alerts.project([of({}, 1)]);
    const silence = await create(last);
    expect(silence).toMatchObject({ state: "active", until: null });
    const end = {
      state: "resolved" as const,
      resolvedAt: new Date().toISOString(),
      resolveReason: "recovered" as const,
    };
    await engines.control.alerts.project([of(end, 2)]);
    expect((await serve.api.call("GET", `${BASE}/${silence.id}`)).body).toMatchObject({ state: "expired" });
  });

  test("say what they name that is not there, and that nothing fires which they could hold", async () => {
    const nobody = "01JDA2V3Q8R5T7W9Y1B3D5F7H9";
    const paths = async (fields: object) => (await create(fields)).warnings.map(({ path }) => path);
    expect(await paths({})).toEqual([]);
    expect(await paths({ select: { signalIds: [`sig_${nobody}`] } })).toEqual(["select"]);
    const { serve } = shared;
    const condition = { operator: "below", value: -80 };
    const rule = await serve.api.expect(RuleAnswer, "POST", "/v1/alerts/rules", { name: "weak", condition });
    const { id, warnings } = await create({ ruleIds: [rule.id, `rul_${nobody}`] });
    expect(warnings).toEqual([{ path: "ruleIds.1", message: `there is no rule rul_${nobody}` }]);
    const patched = await serve.api.call("PATCH", `${BASE}/${id}`, { ruleIds: [rule.id] });
    expect(patched.body).toMatchObject({ warnings: [] });
    expect(await paths({ until: undefined, untilResolved: true, ruleIds: [rule.id] })).toEqual([
      "untilResolved",
    ]);
  });

  test.each([
    ["until", { until: undefined }],
    ["until", { from: inHours(2) }],
    ["until", { from: inHours(-2), until: inHours(-1) }],
    ["until", { untilResolved: true }],
    ["from", { until: undefined, untilResolved: true, from: inHours(1) }],
    ["schedule", { until: undefined, untilResolved: true, schedule: daily("UTC") }],
    ["schedule.timeZone", { schedule: daily("Europe/Atlantis") }],
    ["schedule.timeZone", { schedule: daily("+02:00") }],
    ["schedule.windows.0.from", { schedule: daily("UTC", { from: "8:00" }) }],
    ["schedule.windows.0.days", { schedule: daily("UTC", { days: ["mon", "mon"] }) }],
    ["schedule.windows", { schedule: { timeZone: "UTC", windows: [] } }],
    ["ruleIds", { ruleIds: [] }],
    ["ruleIds.0", { ruleIds: ["weak"] }],
    ["select.signalIds.0", { select: { signalIds: ["sig_1"] } }],
    ["reason", { reason: "  " }],
    ["reasons", { reasons: "x" }],
    ["until", { until: "tomorrow" }],
  ])("that make no sense are refused with the path %s", async (path, fields) => {
    const { status, body } = await shared.serve.api.call("POST", BASE, aSilence(fields));
    expect([status, body]).toMatchObject([400, { code: "validation_failed", errors: [{ path }] }]);
  });

  test("are refused as a whole when a patch takes their sense", async () => {
    const { id } = await create();
    for (const [path, patch] of [
      ["until", { until: null }],
      ["untilResolved", { until: null, untilResolved: true }],
      ["", {}],
    ] as const) {
      const { status, body } = await shared.serve.api.call("PATCH", `${BASE}/${id}`, patch);
      expect([status, body]).toMatchObject([400, { errors: [{ path }] }]);
    }
  });

  test("are made once of a POST that is sent again", async () => {
    const { api, url } = shared.serve;
    const body = JSON.stringify(aSilence({ reason: "once" }));
    const send = () =>
      fetch(url + BASE, {
        method: "POST",
        headers: { ...api.authorization, "content-type": "application/json", "Idempotency-Key": "s1" },
        body,
      });
    const [first, again] = [await send(), await send()];
    expect([first.status, again.headers.get("idempotency-replayed")]).toEqual([201, "true"]);
    expect(await again.text()).toBe(await first.text());
  });
});

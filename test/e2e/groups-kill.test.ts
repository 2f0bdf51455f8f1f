import { expect, it } from "vitest";
import { z } from "zod";
import { SignalServiceEvent } from "../../schemas/event.ts";
import type { Api } from "../support/api.ts";
import { temporaryDirectory } from "../support/directory.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { newApiKey } from "../support/service-process.ts";
import { until } from "../support/until.ts";

const SIGNALS = 40;
const ROUNDS = 3;
const MS = 60_000;
const WithId = z.object({ id: z.string() });
const GROUPS = { waitSeconds: 2, intervalSeconds: 2 };

/** What came, each notification once, by its number; a repetition must be the same to the byte. */
const notifications = ({ received }: Receiver): SignalServiceEvent[] => {
  const byId = new Map<string, string>();
  for (const { headers, body } of received) {
    const id = String(headers["webhook-id"]);
    expect(byId.get(id) ?? body).toBe(body);
    byId.set(id, body);
  }
  return [...byId.values()].map((body) => SignalServiceEvent.parse(JSON.parse(body)));
};

/** The signals that are failed to who goes by what came. */
const failedIn = (events: readonly SignalServiceEvent[]): number => {
  const failed = new Set<string>();
  for (const { data } of events)
    for (const { id, status } of data.group?.signals ?? (data.signal === undefined ? [] : [data.signal]))
      if (status === "failed") failed.add(id);
      else failed.delete(id);
  return failed.size;
};

it("tells a source's outages and their ends once each, over kills of the process amid them", async () => {
  const receiver = await startReceiver();
  const environment = { DEMO: "false", WEBHOOK_ALLOW_PRIVATE: "true" };
  const options = { dataDirectory: await temporaryDirectory(), apiKey: newApiKey(), environment };
  let { service, api } = await startService(options);
  const events = ["signal.failed", "signal.updated"];
  const webhook = { url: receiver.url, events, groups: GROUPS };
  await api.expect(WithId, "POST", "/v1/integrations/webhooks", webhook);
  const source = { type: "push", name: "mast", defaults: { noDataAfterSeconds: null } };
  const { id } = await api.expect(WithId, "POST", "/v1/integrations/sources", source);
  const push = async (to: Api, rssi: number) => {
    const readings = Array.from({ length: SIGNALS }, (_, n) => ({ id: `mast-${n}`, rssi }));
    const { status } = await to.call("POST", `/v1/integrations/sources/${id}/push`, readings);
    expect(status).toBe(202);
  };
  const killed = async () => {
    // Somewhere between what is taken, what is held and what is told.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 3_000));
    await service.end("SIGKILL");
    ({ service, api } = await startService(options));
  };
  await push(api, -50);
  for (let round = 1; round <= ROUNDS; round++) {
    await push(api, -98);
    await killed();
    await until("all to be told", () => failedIn(notifications(receiver)) === SIGNALS, MS);
    await push(api, -50);
    await killed();
    const ends = () => notifications(receiver).filter(({ event }) => event === "source.recovered").length;
    await until("the end to be told", () => ends() === round, MS);
  }
  const told = notifications(receiver);
  const groups = Map.groupBy(
    told.filter(({ data }) => data.group !== undefined),
    ({ data }) => data.group?.id,
  );
  expect(groups.size).toBe(ROUNDS);
  for (const group of groups.values()) {
    const numbers = group.map(({ data }) => data.group?.number ?? 0).toSorted((a, b) => a - b);
    expect(numbers).toEqual(numbers.map((_, n) => n + 1));
  }
  // One that was alone when its wait ended, as the others were evaluated after the kill only, came by itself.
  const failures = ({ event, data }: SignalServiceEvent) =>
    data.group?.counts.failed ?? (event === "signal.failed" ? 1 : 0);
  expect(told.reduce((sum, one) => sum + failures(one), 0)).toBe(SIGNALS * ROUNDS);
  const repeats = receiver.received.length - told.length;
  process.stdout.write(`${told.length} notifications over ${2 * ROUNDS} kills, ${repeats} came again\n`);
  expect(await service.end("SIGTERM"), service.stderr).toBe(0);
}, 600_000);

import { describe, expect, test } from "vitest";
import { AlertId, WebhookId } from "../../../schemas/common.ts";
import { WebhookGroups } from "../../../schemas/webhook.ts";
import { ulid } from "../../../src/domain/ids.ts";
import type { AddressedEvent } from "../../../src/domain/records.ts";
import {
  GROUP_SIGNALS_MAX,
  type GroupMember,
  newGroup,
  OPEN_MAX,
  type SignalGroup,
} from "../../../src/domain/webhooks/group.ts";
import { groupDue } from "../../../src/domain/webhooks/group-due.ts";
import { groupEvent } from "../../../src/domain/webhooks/group-event.ts";
import { groupStep } from "../../../src/domain/webhooks/group-step.ts";
import { SourceEvents } from "../../support/group-events.ts";
import { accountId, sourceId } from "../../support/partition.ts";

const START_MS = Date.UTC(2026, 0, 1);
const SETTINGS = WebhookGroups.parse({});
const events = new SourceEvents(accountId(1), sourceId(1));
const webhookId = WebhookId.parse(`whk_${ulid(0, Buffer.alloc(10))}`);
const first = events.failed(0, START_MS).event.id;
const aGroup = (fields: Partial<SignalGroup> = {}): SignalGroup => ({
  ...newGroup({ webhookId, accountId: accountId(1), sourceId: sourceId(1) }, first, SETTINGS, START_MS),
  ...fields,
});
const step = (
  group: SignalGroup,
  member: GroupMember | null,
  { event, signalId }: AddressedEvent,
  nowMs = START_MS,
) => {
  if (signalId === null) throw new Error("no signal");
  return groupStep(group, member, { signalId, event, position: 1, settings: SETTINGS, nowMs }, true);
};

describe("a group", () => {
  test("counts the failures of signals beyond its limit, and keeps their recoveries to itself", () => {
    const full = aGroup({ isFormed: true, signals: GROUP_SIGNALS_MAX, failing: GROUP_SIGNALS_MAX });
    const failed = step(full, null, events.failed(1, START_MS));
    expect(failed).toMatchObject({ member: null, becomes: "grouped", group: { beyond: 1 } });
    expect(failed.group.signals).toBe(GROUP_SIGNALS_MAX);
    expect(step(failed.group, null, events.recovered(1, START_MS)).becomes).toBe("grouped");
    expect(step(failed.group, null, events.renamed(1, START_MS)).becomes).toBe("pending");
    expect(step(failed.group, null, events.deleted(1, START_MS)).becomes).toBe("pending");
    const news = { failed: 0, recovered: 0 };
    expect(groupDue(failed.group, news, SETTINGS)).toMatchObject({ kind: "tell", after: { beyond: 0 } });
    const told = {
      group: failed.group,
      event: "source.degraded",
      news,
      members: [],
      sourceName: "a",
    } as const;
    const { data } = groupEvent(told);
    expect(data.group?.counts).toMatchObject({ failed: 1, unlisted: GROUP_SIGNALS_MAX + 1 });
  });

  test("tells after a wait, and not only after an interval, that one of its signals is worse than it was", () => {
    const dueAt = START_MS + 300_000;
    const of = new SourceEvents(accountId(1), sourceId(1));
    const begun = step(aGroup(), null, of.firing(1, START_MS, "warning"));
    const told = { ...begun.group, isFormed: true, told: 1, toldAt: START_MS, dueAt };
    const again = step(told, begun.member, of.firing(1, START_MS, "warning"), START_MS + 1_000);
    expect(again.group.dueAt).toBe(dueAt);
    const worse = step(told, again.member, of.firing(1, START_MS, "critical"), START_MS + 2_000);
    expect(worse.group.dueAt).toBe(START_MS + 2_000 + SETTINGS.waitSeconds * 1_000);
    const rested = step({ ...told, dueAt: null }, again.member, of.firing(1, START_MS, "critical"), START_MS);
    expect(rested.group.dueAt).toBe(START_MS + SETTINGS.waitSeconds * 1_000);
  });

  test("takes no failure as ended by what is held back from everybody: the end of it will be told", () => {
    const { group, member } = step(aGroup({ isFormed: true }), null, events.failed(3, START_MS));
    const recovered = events.recovered(3, START_MS);
    const held = {
      ...recovered,
      event: { ...recovered.event, data: { ...recovered.event.data, heldBy: "flapping" } },
    } as const;
    expect(step(group, member, held)).toMatchObject({ group: { failing: 1 }, member: { open: ["signal"] } });
    expect(step(group, member, recovered).group.failing).toBe(0);
  });

  test("waits for the end of so many conditions of a signal, and no more", () => {
    let [group, member]: [SignalGroup, GroupMember | null] = [aGroup(), null];
    for (let n = 0; n < OPEN_MAX + 10; n++) {
      const { event, ...rest } = events.firing(1, START_MS);
      const { alert } = event.data;
      if (alert === undefined) throw new Error("no alert");
      const id = AlertId.parse(`${alert.id.slice(0, -3)}${String(n).padStart(3, "0")}`);
      const other = { ...rest, event: { ...event, data: { ...event.data, alert: { ...alert, id } } } };
      ({ group, member } = step(group, member, other));
    }
    expect(member?.open).toHaveLength(OPEN_MAX);
    expect(group).toMatchObject({ signals: 1, failing: 1, isFormed: false });
  });

  test("is told of what was told before only if it is worse now", () => {
    const told = aGroup({ isFormed: true, told: 1, toldAt: START_MS, dueAt: null, signals: 1 });
    const warned = step({ ...told, signals: 0 }, null, events.firing(2, START_MS)).member;
    const known = warned === null ? null : { ...warned, news: null };
    const group = { ...told, failing: 1 };
    expect(step(group, known, events.firing(2, START_MS, "info")).member?.news).toBeNull();
    expect(step(group, known, events.firing(2, START_MS, "critical")).member).toMatchObject({
      news: "failed",
      severity: "critical",
    });
  });

  test("has notifications whose text is bounded, whatever signals are called", () => {
    const members = Array.from({ length: 100 }, (_, n): GroupMember => {
      const { member } = step(aGroup(), null, events.failed(n, START_MS));
      if (member === null) throw new Error("no member");
      return { ...member, name: "\u0000".repeat(200), externalId: "\u0000".repeat(200) };
    });
    const group = aGroup({ isFormed: true, signals: 100, failing: 100 });
    const news = { failed: 100, recovered: 0 };
    const made = groupEvent({ group, event: "source.degraded", news, members, sourceName: "a" });
    expect(JSON.stringify(made).length).toBeLessThan(50_000);
    const listed = made.data.group?.signals.length ?? 0;
    expect(listed).toBeGreaterThan(10);
    expect(made.data.group?.counts.unlisted).toBe(100 - listed);
    expect(groupEvent({ group, event: "source.degraded", news, members, sourceName: "a" })).toEqual(made);
  });
});

import { queryOptions } from "@tanstack/react-query";
import { api } from "../../api/client.ts";
import { serverClock } from "../../api/server-clock.ts";
import type { Alert, Delivery, Event, Webhook } from "../../api/types.ts";
import { at, bounded } from "../../api/whole.ts";

const KINDS = ["alert.firing", "alert.resolved", "alert.acknowledged"] as const;
/** Nobody is mailed that somebody else takes an alert on. */
const MAILED: readonly string[] = ["alert.firing", "alert.resolved"];
const EVENTS_AT_ONCE = 500;
/** An event may be told a little before the time that it names, and one that was held back long after it. */
const BEFORE_MS = 60_000;
const AFTER_MS = 3_600_000;
const PENDING_MS = 2_000;
/** A delivery is recorded a little after its event. */
const RECORDED_MS = 60_000;
const UNRECORDED_EVERY_MS = 5_000;

export type AlertEvent = Event & { readonly data: { readonly alert: NonNullable<Event["data"]["alert"]> } };

/** What of an event says whom it was for. */
type Addressed = Pick<AlertEvent, "event" | "createdAt"> & {
  readonly data: Pick<AlertEvent["data"], "silencedBy" | "heldBy"> & {
    readonly alert: Pick<AlertEvent["data"]["alert"], "notify" | "toldAs">;
  };
};

const isOf =
  (alertId: string) =>
  (event: Event): event is AlertEvent =>
    event.data.alert?.id === alertId;

/** What was told of an alert: not of its signal's others. `isWhole`: nothing else was. */
export const eventsOf = ({ id, signalId, state, severity, firedAt, resolvedAt, acknowledged }: Alert) =>
  queryOptions({
    queryKey: ["events", "of-alert", id, state, severity, acknowledged?.at ?? null],
    queryFn: async () => {
      const fromMs = Date.parse(firedAt ?? "") - BEFORE_MS;
      const toMs = (resolvedAt === null ? serverClock.now() : Date.parse(resolvedAt)) + AFTER_MS;
      const span = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
      const { items, isWhole } = await bounded(async (cursor) => {
        const query = { signalId: [signalId], event: [...KINDS], ...span, ...at(cursor, EVENTS_AT_ONCE) };
        const page = await api.get("/v1/events", { params: { query } });
        return { items: page.events, next: page.nextCursor };
      });
      return { events: items.filter(isOf(id)), isWhole };
    },
    enabled: firedAt !== null,
  });

/** Terms of an event: its own, and those under which others have heard of the alert before. */
const termsOf = ({ data: { alert } }: Addressed) => [
  alert.notify,
  ...(alert.toldAs ?? []).map(({ notify }) => notify),
];

/** Why an event was told to nobody; null: it was told. */
export const heldBack = ({ data: { silencedBy, heldBy } }: Addressed): string | null => {
  if (silencedBy !== undefined) return "a silence held it back";
  return heldBy === undefined ? null : "it was held back, as it changed too often";
};

export const mayHear = (webhookId: string, event: Addressed): boolean =>
  heldBack(event) === null &&
  termsOf(event).some((notify) => notify?.webhookIds?.includes(webhookId) ?? true);

/** Whom the rule named when it was told; whether an e-mail arrived, the service does not say. */
export const mailedTo = (event: Addressed): string[] =>
  heldBack(event) === null && MAILED.includes(event.event)
    ? [...new Set(termsOf(event).flatMap((notify) => notify?.emails ?? []))]
    : [];

/** Whether its rule names neither a webhook nor anybody to be mailed of such an event. */
export const isForNobody = (event: Addressed): boolean =>
  termsOf(event).every((notify) => notify?.webhookIds?.length === 0) && mailedTo(event).length === 0;

/** Whether deliveries of an event may still be recorded. */
export const isJustTold = ({ createdAt }: Addressed): boolean =>
  serverClock.now() - Date.parse(createdAt) < RECORDED_MS;

/** What there is to say of an event of which no one is known to have been told; `webhooks`: of today. */
export const untold = (
  event: Addressed,
  webhooks: readonly Pick<Webhook, "id" | "events">[],
): { whom: string; how: string } => {
  const isNew = isJustTold(event);
  if (webhooks.some(({ id, events }) => events.includes(event.event) && mayHear(id, event)))
    return {
      whom: "not known",
      how: isNew ? "no delivery of it is recorded yet" : "no webhook of today has a delivery of it",
    };
  const how = "no webhook asks for it";
  return { whom: "nobody", how: isNew ? how : `${how}, unless one that did is gone` };
};

/** What became of an event at a webhook; undefined: that is not known, as too much was sent at its moment. */
const deliveryOf = async (webhookId: string, { id, event, createdAt }: AlertEvent) => {
  // Deliveries have the time of their event.
  const to = new Date(Date.parse(createdAt) + 1).toISOString();
  const isIt = ({ eventId }: Delivery) => eventId === id;
  const { items, isWhole } = await bounded(
    async (cursor) => {
      const query = { from: createdAt, to, event: [event], ...at(cursor, EVENTS_AT_ONCE) };
      const page = await api.get("/v1/integrations/webhooks/{id}/deliveries", {
        params: { path: { id: webhookId }, query },
      });
      return { items: page.deliveries, next: page.nextCursor };
    },
    (all) => all.some(isIt),
  );
  return items.find(isIt) ?? (isWhole ? null : undefined);
};

type Became = ReadonlyMap<string, Delivery | null | undefined>;

/** How soon to ask again what became of events; false: it is known, as far as it will be. */
const againMs = (asked: readonly AlertEvent[], became: Became): number | false => {
  if ([...became.values()].some((delivery) => delivery?.status === "pending")) return PENDING_MS;
  return asked.some((event) => became.get(event.id) === null && isJustTold(event)) && UNRECORDED_EVERY_MS;
};

/** What became of events at a webhook, by their ids. */
export const deliveriesOf = (webhookId: string, events: readonly AlertEvent[]) => {
  const asked = events.filter((event) => mayHear(webhookId, event));
  return queryOptions({
    queryKey: ["deliveries", "of-events", webhookId, asked.map(({ id }) => id)],
    queryFn: async () =>
      new Map(
        await Promise.all(
          asked.map(async (event) => [event.id, await deliveryOf(webhookId, event)] as const),
        ),
      ),
    refetchInterval: ({ state: { data } }) => againMs(asked, data ?? new Map()),
  });
};

import type { AlertData } from "../../schemas/alert.ts";
import { SignalEventKind } from "../../schemas/event.ts";
import type { AddressedEvent } from "../../src/domain/records.ts";
import type { ToldAlert, ToldEvent } from "./reference/told.ts";

/** Gives each alert its number among those of its rule on its signal, and knows it again. */
class AlertNumbers {
  readonly #ids = new Map<string, string[]>();

  nth(signalId: string, { ruleId, id }: AlertData): number {
    const key = `${signalId} ${ruleId}`;
    const ids = this.#ids.get(key) ?? [];
    if (!ids.includes(id)) ids.push(id);
    this.#ids.set(key, ids);
    return ids.indexOf(id) + 1;
  }
}

/** The evaluator's events with what an id stands for in its place, as the reference tells them. */
export const toldEvents = (events: readonly AddressedEvent[]): ToldEvent[] => {
  const numbers = new AlertNumbers();
  const sequences = new Map(events.map(({ event }) => [event.id, event.sequence ?? Number.NaN]));
  const meant = (id: AddressedEvent["event"]["id"] | undefined) =>
    id === undefined ? undefined : (sequences.get(id) ?? Number.NaN);
  return events.flatMap(({ signalId, event }): ToldEvent[] => {
    if (signalId === null) return [];
    const { alert, repeatOf, source, webhook, ...data } = event.data;
    return [
      {
        event: SignalEventKind.parse(event.event),
        signalId,
        sequence: event.sequence ?? Number.NaN,
        createdAt: event.createdAt,
        data: { ...data, repeatOf: meant(repeatOf), alert: alert && told(alert, signalId) },
      },
    ];
  });

  function told({ id, repeatOf, ...alert }: AlertData, signalId: string): ToldAlert {
    return { ...alert, nth: numbers.nth(signalId, { id, ...alert }), repeatOf: meant(repeatOf) };
  }
};

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, one]) => [key, sorted(one)]),
  );
};

/** Each signal's events, one a line, so that two of them are easy to tell apart. */
export const linesBySignal = (events: readonly ToldEvent[]): Record<string, string[]> => {
  const signals = [...Map.groupBy(events, ({ signalId }) => signalId)].sort(([a], [b]) => (a < b ? -1 : 1));
  const line = ({ sequence, event, createdAt, data }: ToldEvent) =>
    `${sequence} ${event} ${createdAt} ${JSON.stringify(sorted(data))}`;
  return Object.fromEntries(signals.map(([id, own]) => [id, own.map(line)]));
};

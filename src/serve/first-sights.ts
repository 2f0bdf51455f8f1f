import type { SignalId } from "../../schemas/common.ts";
import type { LogRecord } from "../domain/log-record.ts";
import { type AddressedEvent, readEvent } from "../domain/records.ts";
import type { Telemetry } from "../ports/telemetry.ts";
import type { EventRing } from "./event-ring.ts";

const decoder = new TextDecoder();

/**
 * Puts the events of a batch into the ring and gives those seen for the first time: a restart of the evaluator may
 * append an event again, with a sequence that its signal has already passed. `last` is the sequence of each so far.
 */
export const firstSights = (last: Map<SignalId, number>, ring: EventRing, { log, metrics }: Telemetry) => {
  const repeated = metrics.counter("events_repeated_total", "Events appended again and left out.");
  const unreadable = metrics.counter("event_unreadable_total", "Records of topic events that are no event.");

  const isNew = ({ signalId, event: { id, sequence } }: AddressedEvent): boolean => {
    if (signalId === null || sequence === null) return !ring.has(id);
    if (sequence <= (last.get(signalId) ?? 0)) return false;
    last.set(signalId, sequence);
    return true;
  };
  const take = (record: LogRecord): AddressedEvent | null => {
    const addressed = readEvent(record);
    if (!isNew(addressed)) {
      repeated.add(1);
      return null;
    }
    const { accountId, signalId, event } = addressed;
    ring.append({
      position: record.offset,
      id: event.id,
      accountId,
      signalId,
      kind: event.event,
      createdAtMs: Date.parse(event.createdAt),
      text: decoder.decode(record.value),
    });
    return addressed;
  };

  return (batch: readonly LogRecord[]): AddressedEvent[] => {
    const events: AddressedEvent[] = [];
    for (const record of batch) {
      // A batch that broke half-way comes again.
      if (record.offset < ring.end) continue;
      try {
        const event = take(record);
        if (event !== null) events.push(event);
      } catch (err) {
        unreadable.add(1);
        log.error({ topic: "events", offset: record.offset, err }, "event_unreadable");
      }
      ring.advance(record.offset + 1);
    }
    return events;
  };
};

import { z } from "zod";
import { AccountId, SignalId } from "../../../schemas/common.ts";
import { SignalServiceEvent } from "../../../schemas/event.ts";
import type { EventRow } from "../../ports/time-series.ts";

export const EVENT_COLUMNS = [
  "id",
  "position",
  "account_id",
  "signal_id",
  "kind",
  "created_at_ms",
  "sequence",
  "event",
] as const;

const encoder = new TextEncoder();

/** Rows for FORMAT JSONEachRow. No signal is an empty string, no sequence 0. */
export const encodeEventRows = (rows: readonly EventRow[]): Uint8Array =>
  encoder.encode(
    rows
      .map(({ position, accountId, signalId, event }) =>
        JSON.stringify({
          id: event.id,
          position,
          account_id: accountId,
          signal_id: signalId ?? "",
          kind: event.event,
          created_at_ms: Date.parse(event.createdAt),
          sequence: event.sequence ?? 0,
          event: JSON.stringify(event),
        }),
      )
      .join("\n"),
  );

const Row = z.tuple([z.number(), AccountId, z.union([z.literal(""), SignalId]), z.string()]);

/** `position, account_id, signal_id, event`, as `events` selects them. */
export const EventRowColumns = Row.transform(
  ([position, accountId, signalId, event]): EventRow => ({
    position,
    accountId,
    signalId: signalId === "" ? null : signalId,
    event: SignalServiceEvent.parse(JSON.parse(event)),
  }),
);

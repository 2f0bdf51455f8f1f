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

/** JSON and ids hold no tab and no newline as such; what is left of TabSeparated's escapes is the backslash. */
const escaped = (text: string): string => text.replaceAll("\\", "\\\\");

/** Rows for FORMAT TabSeparated, in the order of EVENT_COLUMNS. No signal is an empty string, no sequence 0. */
export const encodeEventRows = (rows: readonly EventRow[]): Uint8Array => {
  const lines = rows.map(({ position, accountId, signalId, event }) => {
    const createdAtMs = Date.parse(event.createdAt);
    const fields = [
      event.id,
      position,
      accountId,
      signalId ?? "",
      event.event,
      createdAtMs,
      event.sequence ?? 0,
    ];
    return `${fields.join("\t")}\t${escaped(JSON.stringify(event))}\n`;
  });
  return encoder.encode(lines.join(""));
};

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

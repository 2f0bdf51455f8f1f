import type { SignalStatus } from "../../schemas/signal.ts";
import { STATUS_CODES } from "./plain-live-line.ts";

/** The newest value of a signal as topic `live` carries it. Strength and time are null before the first reading. */
export interface LiveUpdate {
  readonly signalId: string;
  readonly accountId: string;
  readonly atMs: number | null;
  readonly strength: number | null;
  readonly status: SignalStatus;
}

/** How far a partition of topic `readings` had been folded when newest values were taken from it. */
export interface LivePlace {
  readonly logId: string;
  readonly partition: number;
  /** Of the first record that was not folded yet: of two values of one signal, that of the higher offset is newer. */
  readonly offset: number;
}

/** The headers that carry the place of all updates of a record. */
export const liveHeaders = ({ logId, partition, offset }: LivePlace): Record<string, string> => ({
  log: logId,
  partition: String(partition),
  offset: String(offset),
});

/** Null for a record of versions that did not tell the place, or of somebody else. */
export const readLivePlace = (headers: Readonly<Record<string, string>>): LivePlace | null => {
  const { log: logId, partition, offset } = headers;
  const place = { logId: logId ?? "", partition: Number(partition), offset: Number(offset) };
  return logId !== undefined && Number.isInteger(place.partition) && Number.isInteger(place.offset)
    ? place
    : null;
};

/** A record of topic `live` without header `kind`: a line `signalId \t accountId \t atMs \t strength \t status` an update, empty where null; `liveHeaders` beside it. */
export const encodeLive = (updates: Iterable<LiveUpdate>): Uint8Array => {
  let text = "";
  for (const update of updates) {
    text += `${update.signalId}\t${update.accountId}\t${update.atMs ?? ""}\t${update.strength ?? ""}\t${STATUS_CODES.indexOf(update.status)}\n`;
  }
  return new TextEncoder().encode(text);
};

export const decodeLive = (block: Uint8Array): LiveUpdate[] =>
  new TextDecoder()
    .decode(block)
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [signalId = "", accountId = "", at = "", strength = "", status = "0"] = line.split("\t");
      return {
        signalId,
        accountId,
        atMs: at === "" ? null : Number(at),
        strength: strength === "" ? null : Number(strength),
        status: STATUS_CODES[Number(status)] ?? "active",
      };
    });

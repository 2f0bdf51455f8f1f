import type { SignalStatus } from "../../schemas/signal.ts";

/** The newest value of a signal as topic `live` carries it. Strength and time are null before the first reading. */
export interface LiveUpdate {
  readonly signalId: string;
  readonly accountId: string;
  readonly atMs: number | null;
  readonly strength: number | null;
  readonly status: SignalStatus;
}

const STATUS_CODES: readonly SignalStatus[] = ["active", "failed", "paused"];

/** A record of topic `live` without header `kind`: a line `signalId \t accountId \t atMs \t strength \t status` an update, empty where null. */
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

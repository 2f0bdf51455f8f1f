import { existsSync, readFileSync } from "node:fs";

const CAPTURE = new URL("../../../shared/data/ttn-v3-walk.ndjson", import.meta.url);

/** The lines of the real capture, or null where its data is not beside the checkout. */
export const walkLines = (): string[] | null =>
  existsSync(CAPTURE)
    ? readFileSync(CAPTURE, "utf8")
        .split("\n")
        .filter((line) => line !== "")
    : null;

/** Its readings in order of their times: Unix ms and dBm; null likewise. */
export const walkReadings = (): { atMs: number; strength: number }[] | null =>
  walkLines()?.flatMap((line) => {
    const { received_at, uplink_message } = JSON.parse(line);
    return uplink_message === undefined
      ? []
      : [{ atMs: Date.parse(received_at), strength: uplink_message.rx_metadata[0].rssi }];
  }) ?? null;

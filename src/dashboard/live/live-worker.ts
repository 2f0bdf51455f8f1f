import { LiveConnection } from "./connection.ts";
import type { ToWorker } from "./messages.ts";

/** Parses what the stream says away from the page, so that no flood of readings holds up what people do. */
let connection: LiveConnection | null = null;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  connection?.stop();
  connection = null;
  if (data.kind === "stop") return;
  connection = new LiveConnection({
    url: data.url,
    tell: (message, transfer = []) => self.postMessage(message, { transfer }),
  });
  connection.start();
};

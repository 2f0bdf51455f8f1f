import { LiveConnection } from "./connection.ts";
import type { ToWorker } from "./messages.ts";

/** Parses what the stream says away from the page, so that no flood of readings holds up what people do. */
let connection: LiveConnection | null = null;

self.onmessage = ({ data }: MessageEvent<ToWorker>) => {
  if (data.kind === "hold") connection?.hold();
  else if (data.kind === "again") connection?.again();
  else start(data.url);
};

const start = (url: string): void => {
  connection?.stop();
  connection = new LiveConnection({
    url,
    tell: (message, transfer = []) => self.postMessage(message, { transfer }),
  });
  connection.start();
};

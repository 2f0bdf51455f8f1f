import type { SourceCreate } from "../../schemas/source.ts";
import { httpPollSource } from "./http-poll.ts";
import { httpStreamSource } from "./http-stream.ts";
import { simulatorSource } from "./simulator.ts";
import type { RunSource } from "./source.ts";
import { webSocketSource } from "./websocket.ts";

/** Nothing is to be done for a source whose messages are brought: it only waits for its end. */
const idle: RunSource = (_context, signal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** How a kind of source is run. */
export const runnerOf = (settings: SourceCreate): RunSource => {
  switch (settings.type) {
    case "websocket":
      return webSocketSource(settings);
    case "http-poll":
      return httpPollSource(settings);
    case "http-stream":
      return httpStreamSource(settings);
    case "simulator":
      return simulatorSource(settings);
    case "push":
      return idle;
  }
};

import type { SourceCreate } from "../../schemas/source.ts";
import { simulatorSource } from "./simulator.ts";
import type { RunSource } from "./source.ts";
import { webSocketSource } from "./websocket.ts";

/** Nothing is to be done for a source whose messages are brought: it only waits for its end. */
const idle: RunSource = (_context, signal) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

/** Its program is loaded when it first runs: an HTTP client is no small one, and most have no use for it. */
const loaded =
  (load: () => Promise<RunSource>): RunSource =>
  async (context, signal) => {
    const run = await load();
    if (!signal.aborted) await run(context, signal);
  };

/** How a kind of source is run. */
export const runnerOf = (settings: SourceCreate): RunSource => {
  switch (settings.type) {
    case "websocket":
      return webSocketSource(settings);
    case "http-poll":
      return loaded(async () => (await import("./http-poll.ts")).httpPollSource(settings));
    case "http-stream":
      return loaded(async () => (await import("./http-stream.ts")).httpStreamSource(settings));
    case "simulator":
      return simulatorSource(settings);
    case "push":
      return idle;
  }
};

import type { WebSocketSettings } from "../../schemas/source.ts";
import { fullJitterMs, RECONNECT } from "../domain/backoff.ts";
import { PathError } from "../domain/mapping/path.ts";
import { dial } from "./dial.ts";
import { compileExpectation } from "./handshake.ts";
import type { RunSource } from "./source.ts";
import { WebSocketSession } from "./websocket-session.ts";

/** After this long without a break, the next break starts the back-off from its beginning. */
const HEALTHY_MS = 60_000;

const handshakeProblem = ({ handshake }: WebSocketSettings): string | null => {
  try {
    for (const step of handshake) if ("expect" in step) compileExpectation(step.expect);
    return null;
  } catch (error) {
    if (error instanceof PathError) return `handshake: ${error.message}`;
    throw error;
  }
};

/** A source that we connect to as a WebSocket client, and connect to again whenever it breaks. */
export const webSocketSource =
  (settings: WebSocketSettings): RunSource =>
  async (context, signal) => {
    const { clock, entropy, report } = context;
    const problem = handshakeProblem(settings);
    if (problem !== null) return report.failed(problem);
    for (let attempt = 0; ; attempt++) {
      await context.flow.ours(signal);
      if (signal.aborted) return;
      report.connecting();
      const dialled = dial(settings, context.settings);
      if (!dialled.ok) return report.failed(dialled.reason);
      const end = await new WebSocketSession(dialled.socket, settings, context).run(signal);
      if (signal.aborted) return;
      if (end.healthyMs >= HEALTHY_MS) attempt = 0;
      const delayMs = fullJitterMs(RECONNECT, attempt, entropy.random());
      report.waiting(end.reason, delayMs);
      await clock.sleep(delayMs, signal).catch(() => undefined);
      if (!signal.aborted) report.reconnecting();
    }
  };

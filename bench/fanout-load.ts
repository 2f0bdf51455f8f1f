// A process of its own: the newest values that an evaluator would tell a serve worker.
import type { AccountId } from "../schemas/common.ts";
import { encodeLive } from "../src/domain/live.ts";
import { evenFlow } from "./even-flow.ts";
import { serveLoad } from "./load.ts";

export interface FanoutLoad {
  /** Goes on until the process ends. */
  publish(of: {
    accountId: AccountId;
    signalIds: readonly string[];
    updatesPerSecond: number;
  }): Promise<void>;
  /** How many updates so far, and when that was, in seconds. */
  offered(): { offered: number; atSeconds: number };
}

/** What is newer is told so often, as an evaluator does. */
const TICKS_PER_SECOND = 100;

serveLoad<FanoutLoad>((log) => {
  let offered = 0;
  return {
    // In turn, so that each signal changes at one pace; the time of a value is when it was due.
    publish: async ({ accountId, signalIds, updatesPerSecond }) => {
      for await (const dueMs of evenFlow(TICKS_PER_SECOND)) {
        const updates = Array.from({ length: updatesPerSecond / TICKS_PER_SECOND }, () => {
          offered++;
          const signalId = signalIds[offered % signalIds.length] ?? "";
          const strength = -40 - (offered % 600) / 10;
          return { signalId, accountId, atMs: Math.round(dueMs), strength, status: "active" as const };
        });
        void log.append("live", [{ value: encodeLive(updates) }]);
      }
    },
    offered: () => ({ offered, atSeconds: performance.now() / 1_000 }),
  };
});

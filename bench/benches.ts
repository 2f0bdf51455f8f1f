import { api } from "./api.ts";
import { backtest } from "./backtest.ts";
import type { Bench } from "./bench.ts";
import { dashboard } from "./dashboard.ts";
import { endToEnd } from "./end-to-end.ts";
import { evaluate } from "./evaluate.ts";
import { fanout } from "./fanout.ts";
import { idle } from "./idle.ts";
import { ingest } from "./ingest.ts";
import { latency } from "./latency.ts";
import { lists } from "./lists.ts";
import { record } from "./record.ts";
import { recovery } from "./recovery.ts";
import { scale } from "./scale.ts";
import { webhooks } from "./webhooks.ts";

/** By the names that the command takes, in the order that all are measured in. */
export const BENCHES: ReadonlyMap<string, Bench> = new Map(
  Object.entries({
    "end-to-end": endToEnd,
    latency,
    ingest,
    evaluate,
    record,
    recovery,
    scale,
    api,
    fanout,
    webhooks,
    backtest,
    lists,
    idle,
    dashboard,
  }),
);

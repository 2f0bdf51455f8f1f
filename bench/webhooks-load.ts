// A process of its own: the events that an evaluator would write for a deliver worker.
import { type AccountId, EventId } from "../schemas/common.ts";
import { systemEntropy } from "../src/adapters/system/clock.ts";
import { ulid } from "../src/domain/ids.ts";
import { eventRecord } from "../src/domain/records.ts";
import { sampleEvent } from "../src/domain/webhooks/sample-event.ts";
import { signalId } from "./definitions.ts";
import { evenFlow } from "./even-flow.ts";
import { serveLoad } from "./load.ts";

/** Whose events they are, of how many signals in turn. */
export interface EventsOf {
  readonly accountId: AccountId;
  readonly signals: number;
}
/** Each resolves once all are durable. */
export interface WebhooksLoad {
  burst(of: EventsOf, events: number): Promise<void>;
  steady(of: EventsOf, eventsPerSecond: number, seconds: number): Promise<void>;
}

const BURST = 50;

serveLoad<WebhooksLoad>((log) => {
  let next = 0;
  /** As the evaluator writes it; `value` tells when it was due. */
  const eventOf = ({ accountId, signals }: EventsOf, dueMs: number) => {
    const now = Date.now();
    const id = EventId.parse(`evt_${ulid(now, systemEntropy.bytes(10))}`);
    const sample = sampleEvent("signal.failed", id, now);
    const reasons = [{ kind: "threshold" as const, since: sample.createdAt, value: dueMs }];
    const { signal } = sample.data;
    const data = { ...(signal === undefined ? {} : { signal: { ...signal, reasons: [] } }), reasons };
    return eventRecord({ accountId, signalId: signalId(next++ % signals), event: { ...sample, data } });
  };
  return {
    burst: async (of, events) => {
      for (let left = events; left > 0; left -= BURST) {
        const now = performance.timeOrigin + performance.now();
        const some = Array.from({ length: Math.min(BURST, left) }, () => eventOf(of, now));
        await log.append("events", some);
      }
    },
    steady: async (of, eventsPerSecond, seconds) => {
      const appended: Promise<unknown>[] = [];
      for await (const dueMs of evenFlow(eventsPerSecond, eventsPerSecond * seconds))
        appended.push(log.append("events", [eventOf(of, dueMs)]));
      await Promise.all(appended);
    },
  };
});

import type { SignalServiceEvent } from "../../schemas/event.ts";
import { type AddressedEvent, eventRecord, readEvent } from "../../src/domain/records.ts";
import { event, signalId } from "./rows.ts";
import type { TestEngines } from "./serve.ts";

/** What the evaluator and the record worker do with events, step by step, for tests of those who read them. */
export const eventSteps = ({ log, control, timeSeries, accountId }: TestEngines) => {
  const START = Date.UTC(2026, 0, 31);
  let made = 0;
  const sequences = new Map<number, number>();

  /** The next event of signal `n`. */
  const next = (n: number, kind: SignalServiceEvent["event"] = "signal.updated"): AddressedEvent => {
    const sequence = (sequences.get(n) ?? 0) + 1;
    sequences.set(n, sequence);
    made++;
    return {
      accountId,
      signalId: signalId(n),
      event: event(made, { kind, at: START + made, sequence }),
    };
  };
  const append = async (events: readonly AddressedEvent[]): Promise<number[]> =>
    (await log.append("events", events.map(eventRecord))).map(({ offset }) => offset);
  /** Stores everything appended up to now, as the record worker would. */
  const record = async (): Promise<void> => {
    const [bounds] = await log.bounds("events");
    const end = bounds?.end ?? 0;
    const progress = await control.recordProgress.read(log.logId, "events", 0);
    const stored = await readEvents(log, progress.done, end);
    if (stored.length > 0) await timeSeries.insertEvents(`events-${progress.done}-${end}`, stored);
    await control.recordProgress.advance(log.logId, "events", 0, progress, { done: end, pendingEnd: null });
  };
  return { next, append, record };
};

const readEvents = async (log: TestEngines["log"], from: number, end: number) => {
  const stop = new AbortController();
  const rows: (AddressedEvent & { position: number })[] = [];
  if (from === end) return rows;
  for await (const batch of log.tail("events", { from, signal: stop.signal })) {
    for (const record of batch)
      if (record.offset < end) rows.push({ ...readEvent(record), position: record.offset });
    if ((batch.at(-1)?.offset ?? 0) + 1 >= end) break;
  }
  stop.abort();
  return rows;
};

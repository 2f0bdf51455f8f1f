import type { PendingAnswer } from "../../schemas/change.ts";
import { encodeLive, type LivePlace, type LiveUpdate, liveHeaders } from "../domain/live.ts";
import { type ProbeAnswer, pendingAnswerRecord, probeAnswerRecord } from "../domain/records.ts";
import type { NewRecord } from "../ports/event-log.ts";
import type { EvaluateContext } from "./context.ts";

const RECORD_UPDATES_MAX = 2_000;
/** Answers to probes on their way at once; one more is dropped, and its asker asks again. */
const IN_FLIGHT_MAX = 1_000;

/** Newest values of one partition, and the state they were taken from. */
export interface TakenUpdates {
  readonly place: LivePlace;
  readonly updates: readonly LiveUpdate[];
}

/** Appends to topic `live`, which is not durable: what fails is counted, and newer values follow. */
export class LivePublisher {
  readonly #context: EvaluateContext;
  readonly #inFlight = new Set<Promise<void>>();
  #updating = false;

  constructor(context: EvaluateContext) {
    this.#context = context;
  }

  /** Whether the last updates have gone out: if not, the next wait and are conflated. */
  get ready(): boolean {
    return !this.#updating;
  }

  update(taken: readonly TakenUpdates[]): void {
    const records: NewRecord[] = [];
    for (const { place, updates } of taken) {
      const headers = liveHeaders(place);
      for (let from = 0; from < updates.length; from += RECORD_UPDATES_MAX)
        records.push({ headers, value: encodeLive(updates.slice(from, from + RECORD_UPDATES_MAX)) });
      this.#context.metrics.liveUpdates.add(updates.length);
    }
    if (records.length === 0) return;
    this.#updating = true;
    this.#append(records, () => {
      this.#updating = false;
    });
  }

  answer(probeId: string, answer: ProbeAnswer): void {
    this.#append([probeAnswerRecord(probeId, answer)], () => undefined);
  }

  pending(questionId: string, partition: number, answer: PendingAnswer): void {
    this.#append([pendingAnswerRecord(questionId, partition, answer)], () => undefined);
  }

  /** Resolves when nothing is on its way any more. */
  async idle(): Promise<void> {
    await Promise.all(this.#inFlight);
  }

  #append(records: readonly NewRecord[], settled: () => void): void {
    if (this.#inFlight.size >= IN_FLIGHT_MAX) {
      this.#context.metrics.liveFailures.add(1);
      settled();
      return;
    }
    const appending = this.#tryAppend(records).finally(() => {
      this.#inFlight.delete(appending);
      settled();
    });
    this.#inFlight.add(appending);
  }

  async #tryAppend(records: readonly NewRecord[]): Promise<void> {
    try {
      await this.#context.log.append("live", records);
    } catch (error) {
      this.#context.metrics.liveFailures.add(1);
      this.#context.logger.debug({ error: String(error) }, "evaluate_live_failed");
    }
  }
}

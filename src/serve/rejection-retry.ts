import type { SourceId } from "../../schemas/common.ts";
import type { Rejection, RejectionReason } from "../../schemas/source.ts";
import type { RetryAnswer } from "../../schemas/source-actions.ts";
import { onlyElement } from "../domain/mapping/one-element.ts";
import type { PromptIntake } from "../intake/prompt-intake.ts";
import { type Mapped, takeMessages } from "../intake/request-messages.ts";
import type { Tally } from "../intake/tally.ts";
import type { Clock } from "../ports/clock.ts";
import type { ControlStore, KeptRejection, StoredSource } from "../ports/control-store.ts";
import { ProblemError } from "./problem.ts";
import { mappedOf } from "./push/push-lane.ts";

/** As many as are kept of a source. */
const RETRIED_MAX = 1_000;
const SLICE = 100;
/** No mapping makes anything of these: there is no message, or it is no JSON. */
const HOPELESS: ReadonlySet<RejectionReason> = new Set(["not_json", "binary_frame", "too_large"]);

export interface RejectionRetryOptions {
  readonly intake: PromptIntake;
  readonly control: Pick<ControlStore, "sources" | "locks">;
  readonly clock: Clock;
}

const mappedFor = (mapped: Mapped, { element }: Rejection): Mapped =>
  element === undefined
    ? mapped
    : { ...mapped, mapping: onlyElement(mapped.mapping, element.index, element.of) };

interface Sent {
  readonly number: number;
  readonly durable: Promise<Tally>;
}
interface Outcome {
  /** Numbers of those that are rejections no more. */
  readonly mended: readonly number[];
  readonly readings: number;
  /** Why the log refused some; null when it took all. */
  readonly refusal: unknown;
}

const outcomeOf = async (sent: readonly Sent[]): Promise<Outcome> => {
  const mended: number[] = [];
  let readings = 0;
  let refusal: unknown = null;
  for (const { number, durable } of sent) {
    try {
      const tally = await durable;
      readings += tally.readings;
      if (tally.rejections === 0) mended.push(number);
    } catch (error) {
      refusal = error;
    }
  }
  return { mended, readings, refusal };
};

/** Runs what is kept of a source's rejections through its mapping of today. */
export class RejectionRetry {
  readonly #options: RejectionRetryOptions;

  constructor(options: RejectionRetryOptions) {
    this.#options = options;
  }

  /**
   * Resolves once the readings are durable, and what is mended is no rejection any more. One at a time for each source,
   * as two would make the same readings twice; so may a process that ends between the two, or one without the log.
   * Throws as PromptIntake does, having kept what was left.
   */
  async retry(source: StoredSource): Promise<RetryAnswer> {
    const lock = await this.#options.control.locks.tryLock(`rejections-${source.id}`);
    if (lock === null)
      throw new ProblemError("conflict", "the rejections of this source are being tried again right now");
    try {
      return await this.#all(source, lock.lost);
    } finally {
      await lock.release();
    }
  }

  async #all(source: StoredSource, lost: AbortSignal): Promise<RetryAnswer> {
    const { sources } = this.#options.control;
    const mapped = mappedOf(this.#options.intake, source);
    const answer = { retried: 0, readings: 0, remaining: 0 };
    for (let after = 0; answer.retried < RETRIED_MAX; ) {
      const slice = await sources.keptRejections(source.id, after, SLICE);
      const last = slice.at(-1);
      if (last === undefined) break;
      if (lost.aborted) throw new ProblemError("storage_unavailable", "control data was away; try again");
      after = last.number;
      const { mended, readings } = await this.#slice(source.id, mapped, slice);
      answer.retried += slice.length;
      answer.readings += readings;
      answer.remaining += slice.length - mended.length;
    }
    return answer;
  }

  async #slice(id: SourceId, mapped: Mapped, slice: readonly KeptRejection[]): Promise<Outcome> {
    const sent: Sent[] = [];
    const failed = await this.#send(mapped, slice, sent).then(
      () => null,
      (error: unknown) => error,
    );
    const outcome = await outcomeOf(sent);
    await this.#options.control.sources.removeRejections(id, outcome.mended);
    const refusal = failed ?? outcome.refusal;
    if (refusal !== null) throw refusal;
    return outcome;
  }

  /** Leaves in `sent` what is on its way to the log, also when it throws. */
  async #send(mapped: Mapped, slice: readonly KeptRejection[], sent: Sent[]): Promise<void> {
    const { intake, clock } = this.#options;
    for (const { number, rejection } of slice) {
      if (HOPELESS.has(rejection.reason)) continue;
      const message = { data: Buffer.from(rejection.payload), arrivalMs: Date.parse(rejection.at) };
      const { durable } = await takeMessages(intake, clock, mappedFor(mapped, rejection), [message]);
      // It is awaited with all others, and may be refused before.
      durable.catch(() => undefined);
      sent.push({ number, durable });
    }
  }
}

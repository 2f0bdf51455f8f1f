import type { SourceId } from "../../../schemas/common.ts";
import { PUSH_MESSAGES_MAX, type PushAnswer } from "../../../schemas/source-actions.ts";
import { compileMapping } from "../../domain/mapping/compile.ts";
import { messagesOf } from "../../domain/message-lines.ts";
import type { PromptIntake } from "../../intake/prompt-intake.ts";
import { RejectionLog } from "../../intake/rejection-log.ts";
import { type Mapped, type RequestMessage, takeMessages } from "../../intake/request-messages.ts";
import type { Tally } from "../../intake/tally.ts";
import type { Clock } from "../../ports/clock.ts";
import type { StoredSource } from "../../ports/control-store.ts";
import { ProblemError } from "../problem.ts";
import { PushLedger } from "./push-ledger.ts";

/** How this source's messages are mapped today. Its mapping was checked when it was saved. */
export const mappedOf = (intake: PromptIntake, { id, accountId, settings }: StoredSource): Mapped => {
  const compiled = compileMapping("mapping" in settings ? settings.mapping : { preset: "default" });
  if (!compiled.ok) throw new ProblemError("conflict", `mapping: ${compiled.message}`);
  const create = settings.unknownSignals === "create";
  const asker = { accountId, sourceId: id, create, defaults: settings.defaults };
  return { mapping: compiled.mapping, asker, absent: intake.absentNames() };
};

/** Nothing is taken of a request that has more: a message that is no JSON costs twenty times one that is. */
function* requestMessages(body: Buffer, contentType: string | undefined): Generator<RequestMessage> {
  let count = 0;
  for (const data of messagesOf(body, contentType)) {
    if (++count > PUSH_MESSAGES_MAX)
      throw new ProblemError("payload_too_large", `the body has more than ${PUSH_MESSAGES_MAX} messages`);
    yield { data };
  }
}

const answerOf = (tally: Tally): PushAnswer => ({
  accepted: tally.readings,
  skipped: tally.skippedMessages,
  rejected: tally.rejections,
  rejections: tally.kept.map(({ reason, detail }) => ({ reason, detail: detail.slice(0, 1_000) })),
});

/** One source that is pushed to, as long as pushes come. */
export class PushLane {
  readonly id: SourceId;
  readonly ledger: PushLedger;
  readonly rejections: RejectionLog;
  readonly #intake: PromptIntake;
  readonly #clock: Clock;
  #revision: number;
  #mapped: Mapped;
  lastUsedMs: number;

  constructor(intake: PromptIntake, clock: Clock, source: StoredSource) {
    this.id = source.id;
    this.ledger = new PushLedger(intake.metrics);
    this.rejections = new RejectionLog(clock, intake.metrics);
    this.#intake = intake;
    this.#clock = clock;
    this.#revision = source.revision;
    this.#mapped = mappedOf(intake, source);
    this.lastUsedMs = clock.monotonic();
  }

  /** From now on as this revision says. */
  follow(source: StoredSource): void {
    this.lastUsedMs = this.#clock.monotonic();
    if (source.revision === this.#revision) return;
    this.#mapped = mappedOf(this.#intake, source);
    this.#revision = source.revision;
  }

  /** Resolves once the readings are durable. A request that fails is not counted, and leaves no rejections. */
  async take(body: Buffer, contentType: string | undefined): Promise<PushAnswer> {
    const messages = requestMessages(body, contentType);
    const { durable } = await takeMessages(this.#intake, this.#clock, this.#mapped, messages);
    const tally = await durable;
    this.ledger.took(tally, this.#clock.now());
    tally.rejectTo(this.rejections);
    const [unreadable] = tally.messages === 1 ? tally.kept : [];
    if (unreadable?.reason === "not_json")
      throw new ProblemError("validation_failed", `the body is not JSON: ${unreadable.detail}`);
    return answerOf(tally);
  }
}

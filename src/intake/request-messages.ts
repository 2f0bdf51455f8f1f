import type { CompiledMapping } from "../domain/mapping/visitor.ts";
import type { Clock } from "../ports/clock.ts";
import type { AbsentNames } from "./absent-names.ts";
import { Intake } from "./intake.ts";
import type { Asker } from "./name-question.ts";
import type { PromptIntake } from "./prompt-intake.ts";
import { Tally } from "./tally.ts";

/** Others have their turn after so many messages, or bytes of them. */
const SLICE_MESSAGES = 500;
const SLICE_BYTES = 128 * 1024;
const othersTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** For whom messages are mapped, and how. */
export interface Mapped {
  readonly mapping: CompiledMapping;
  readonly asker: Asker;
  readonly absent: AbsentNames;
}
export interface RequestMessage {
  readonly data: Buffer;
  /** When it came, Unix ms; not given: now. */
  readonly arrivalMs?: number;
}

/**
 * Maps the messages of one request and sends their readings on their way: `durable` resolves once they are, or rejects
 * with why the log refused them. Throws what PromptIntake.send throws, and has then left nothing behind.
 */
export const takeMessages = async (
  intake: PromptIntake,
  clock: Clock,
  { mapping, asker, absent }: Mapped,
  messages: Iterable<RequestMessage>,
): Promise<{ tally: Tally; durable: Promise<Tally> }> => {
  const tally = new Tally();
  const reason = asker.create ? "signal_limit_reached" : "unknown_signal";
  const staged = intake.stage(asker.accountId, absent, (name, { kept }) => {
    tally.rejected();
    tally.add(reason, `no signal is called ${name}`, kept?.payload ?? "", kept?.place ?? null);
  });
  const { retentionRawDays } = intake.settings;
  const one = { mapping, resolver: staged, writer: staged, ledger: tally, rejections: tally };
  const reader = new Intake({ ...one, clock, retentionRawDays });
  let [count, bytes] = [0, 0];
  for (const { data, arrivalMs } of messages) {
    reader.receive(data, false, arrivalMs);
    bytes += data.length;
    if (++count < SLICE_MESSAGES && bytes < SLICE_BYTES) continue;
    [count, bytes] = [0, 0];
    await othersTurn();
  }
  await intake.send(staged, asker);
  return { tally, durable: reader.cut().then(() => tally) };
};

import { Change, PendingAnswer, PendingQuestion, Probe } from "../../schemas/change.ts";
import { AccountId, SignalId } from "../../schemas/common.ts";
import { SignalServiceEvent } from "../../schemas/event.ts";
import { SignalTestAnswer } from "../../schemas/signal.ts";
import { compiled } from "./compiled.ts";
import type { LogRecord } from "./log-record.ts";

/** A record as it is to be appended, but for the topic. */
export interface OutgoingRecord {
  readonly partition?: number;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly value: Uint8Array;
}

const CompiledChange = compiled(Change);
const CompiledEvent = compiled(SignalServiceEvent);
const CompiledAccountId = compiled(AccountId);
const CompiledSignalId = compiled(SignalId);

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const json = (value: unknown): Uint8Array => encoder.encode(JSON.stringify(value));
const parsed = (record: LogRecord): unknown => JSON.parse(decoder.decode(record.value));

/** Topic `readings`: a change for one partition. A signal's belongs to the signal's own, all others to each. */
export const changeRecord = (change: Change, partition: number): OutgoingRecord => ({
  partition,
  headers: { kind: "change" },
  value: json(change),
});
export const readChange = (record: LogRecord): Change => CompiledChange().parse(parsed(record));

/** Topic `readings`: nothing but the passing of time, told by the record's append time. */
export const tickRecord = (partition: number): OutgoingRecord => ({
  partition,
  headers: { kind: "tick" },
  value: new Uint8Array(),
});

/** Topic `readings`: a question that changes nothing. */
export const probeRecord = (probe: Probe, partition: number): OutgoingRecord => ({
  partition,
  headers: { kind: "probe" },
  value: json(probe),
});
export const readProbe = (record: LogRecord): Probe => Probe.parse(parsed(record));

/** What the evaluator says to a probe, on topic `live` with header `kind=probe-answer`. */
export const ProbeAnswer = SignalTestAnswer.pick({ quality: true, verdict: true });
export type ProbeAnswer = ReturnType<typeof ProbeAnswer.parse>;
export const probeAnswerRecord = (probeId: string, answer: ProbeAnswer): OutgoingRecord => ({
  headers: { kind: "probe-answer", probe: probeId },
  value: json(answer),
});
export const readProbeAnswer = (record: LogRecord): ProbeAnswer => ProbeAnswer.parse(parsed(record));

/** Topic `readings`: a question for one partition, which changes nothing. */
export const pendingQuestionRecord = (question: PendingQuestion, partition: number): OutgoingRecord => ({
  partition,
  headers: { kind: "pending" },
  value: json(question),
});
export const readPendingQuestion = (record: LogRecord): PendingQuestion =>
  PendingQuestion.parse(parsed(record));

/** What the evaluator of a partition says to it, on topic `live`. */
export const pendingAnswerRecord = (
  questionId: string,
  partition: number,
  answer: PendingAnswer,
): OutgoingRecord => ({
  headers: { kind: "pending-answer", probe: questionId, partition: String(partition) },
  value: json(answer),
});
export const readPendingAnswer = (record: LogRecord): PendingAnswer => PendingAnswer.parse(parsed(record));

/** An event with whose it is. */
export interface AddressedEvent {
  readonly accountId: AccountId;
  /** Null for a source's event. */
  readonly signalId: SignalId | null;
  readonly event: SignalServiceEvent;
}

/** Topic `events`: the event as the API shows it; account and signal stand in the headers. */
export const eventRecord = ({ accountId, signalId, event }: AddressedEvent): OutgoingRecord => ({
  ...(signalId === null ? {} : { key: signalId }),
  headers: signalId === null ? { account: accountId } : { account: accountId, signal: signalId },
  value: json(event),
});
export const readEvent = (record: LogRecord): AddressedEvent => {
  const event = CompiledEvent().parse(parsed(record));
  const { account, signal } = record.headers;
  return {
    accountId: CompiledAccountId().parse(account),
    signalId: signal === undefined ? null : CompiledSignalId().parse(signal),
    event,
  };
};

/** Topic `sources`: key = source id; `revision` null says that the source is gone (a compaction tombstone is an empty value). */
export const sourceRecord = (sourceId: string, revision: number | null): OutgoingRecord => ({
  key: sourceId,
  value: revision === null ? new Uint8Array() : json({ revision }),
});

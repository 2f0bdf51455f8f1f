import { type Change, type PendingAnswer, SignalDefinition } from "../../schemas/change.ts";
import { AccountId, RuleId, SignalId, SourceId } from "../../schemas/common.ts";
import { Rule, RuleCreate } from "../../schemas/rule.ts";
import { PartitionEvaluation } from "../../src/domain/evaluation/evaluation.ts";
import type { EvaluationSink } from "../../src/domain/evaluation/sink.ts";
import { ulid } from "../../src/domain/ids.ts";
import type { LogRecord } from "../../src/domain/log-record.ts";
import { readingLine } from "../../src/domain/reading-line.ts";
import {
  type AddressedEvent,
  changeRecord,
  type OutgoingRecord,
  type ProbeAnswer,
  probeRecord,
  tickRecord,
} from "../../src/domain/records.ts";

export const LOG_ID = "01JDA2V3Q8R5T7W9Y1B3D5F7H9";
export const START_MS = Date.UTC(2026, 0, 1);

const numbered = (n: number): string =>
  ulid(
    0,
    Uint8Array.from({ length: 10 }, (_, i) => (n / 256 ** (9 - i)) & 255),
  );
export const signalId = (n: number): SignalId => SignalId.parse(`sig_${numbered(n)}`);
export const ruleId = (n: number): RuleId => RuleId.parse(`rul_${numbered(n)}`);
export const sourceId = (n: number): SourceId => SourceId.parse(`src_${numbered(n)}`);
export const accountId = (n: number): AccountId => AccountId.parse(`acc_${numbered(n)}`);

/** A signal that nothing can fail unless the overrides say so. */
export const definition = (n: number, overrides: Partial<SignalDefinition> = {}): SignalDefinition =>
  SignalDefinition.parse({
    id: signalId(n),
    accountId: accountId(1),
    revision: 1,
    name: `signal ${n}`,
    externalId: null,
    labels: {},
    threshold: 0,
    floorDbm: -100,
    ceilingDbm: -50,
    hysteresis: 0.05,
    noDataAfterSeconds: null,
    paused: false,
    sourceId: null,
    createdAt: START_MS,
    updatedAt: START_MS,
    ...overrides,
  });

/** A rule of account 1 that fires below -80 dBm and clears at -77, unless the overrides say otherwise. */
export const rule = (n: number, overrides: Partial<typeof RuleCreate._zod.input> = {}): Rule =>
  Rule.parse({
    ...RuleCreate.parse({ name: `rule ${n}`, condition: { operator: "below", value: -80 }, ...overrides }),
    id: ruleId(n),
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
  });

export const signalChange = (n: number, overrides: Partial<SignalDefinition> = {}): Change => ({
  type: "signal",
  signal: definition(n, overrides),
});
export const ruleChange = (
  n: number,
  overrides: Partial<typeof RuleCreate._zod.input> = {},
  revision = 1,
): Change => ({ type: "rule", accountId: accountId(1), revision, rule: rule(n, overrides) });

export interface DeadLetter {
  readonly problem: string;
  readonly offset: number;
  readonly line: number | null;
  readonly text: string;
}

/** Keeps everything that a fold tells. */
export class CollectingSink implements EvaluationSink {
  readonly events: AddressedEvent[] = [];
  readonly deadLetters: DeadLetter[] = [];
  readonly answers = new Map<string, ProbeAnswer>();
  readonly pending = new Map<string, PendingAnswer>();

  event(event: AddressedEvent): void {
    this.events.push(event);
  }
  deadLetter(problem: string, offset: number, line: number | null, bytes: Uint8Array): void {
    this.deadLetters.push({ problem, offset, line, text: new TextDecoder().decode(bytes) });
  }
  probeAnswer(probeId: string, answer: ProbeAnswer): void {
    this.answers.set(probeId, answer);
  }
  pendingAnswer(questionId: string, answer: PendingAnswer): void {
    this.pending.set(questionId, answer);
  }
}

export const asRecord = (outgoing: OutgoingRecord, offset: number, appendedAt: number): LogRecord => ({
  partition: outgoing.partition ?? 0,
  offset,
  appendedAt,
  key: outgoing.key ?? null,
  headers: outgoing.headers ?? {},
  value: outgoing.value,
});

export interface TestReading {
  readonly signal: number;
  readonly strength: number;
  readonly at?: number;
}

/** A partition in memory: appends records at times that the test gives, and folds them at once. */
export class TestPartition {
  readonly records: LogRecord[] = [];
  readonly sink = new CollectingSink();
  readonly evaluation = new PartitionEvaluation({ logId: LOG_ID, partition: 0, partitions: 1 });
  now = START_MS;
  #told = 0;

  append(outgoing: OutgoingRecord): void {
    const record = asRecord(outgoing, this.records.length, this.now);
    this.records.push(record);
    this.evaluation.apply(record, this.sink);
  }

  change(...changes: readonly Change[]): this {
    for (const change of changes) this.append(changeRecord(change, 0));
    return this;
  }

  /** One block; a reading's `at` is the append time unless given. */
  read(...readings: readonly TestReading[]): this {
    const lines = readings.map(({ signal, strength, at }) =>
      readingLine(signalId(signal), at ?? this.now, strength),
    );
    this.append({ value: new TextEncoder().encode(lines.join("")) });
    return this;
  }

  /** Readings of signal 1, one block each, a second apart. */
  strengths(...strengths: readonly number[]): this {
    for (const strength of strengths) this.after(1_000).read({ signal: 1, strength });
    return this;
  }

  after(ms: number): this {
    this.now += ms;
    return this;
  }

  /** Ticks once a second, as the worker does, for so many seconds. */
  ticks(seconds: number): this {
    for (let i = 0; i < seconds; i++) this.after(1_000).append(tickRecord(0));
    return this;
  }

  probe(signal: string, strength: number): ProbeAnswer {
    this.append(probeRecord({ probeId: "p", accountId: accountId(1), signalId: signal, strength }, 0));
    const answer = this.sink.answers.get("p");
    if (answer === undefined) throw new Error("the probe was not answered");
    return answer;
  }

  /** The events since the last call. */
  news(): AddressedEvent["event"][] {
    const fresh = this.sink.events.slice(this.#told);
    this.#told = this.sink.events.length;
    return fresh.map(({ event }) => event);
  }

  /** Their kinds. */
  kinds(): string[] {
    return this.news().map(({ event }) => event);
  }
}

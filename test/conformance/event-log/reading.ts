import type { LogRecord } from "../../../src/domain/log-record.ts";
import type {
  Assignment,
  ConsumeOptions,
  EventLog,
  GroupMember,
  NewRecord,
  TailOptions,
  Topic,
} from "../../../src/ports/event-log.ts";

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textOf = (record: LogRecord): string => new TextDecoder().decode(record.value);
export const texts = (records: readonly LogRecord[]): string[] => records.map(textOf);
/** Records `prefix0`, `prefix1`, … for one partition. */
export const numbered = (prefix: string, count: number, partition = 0): NewRecord[] =>
  Array.from({ length: count }, (_, i) => ({ partition, value: bytes(`${prefix}${i}`) }));

/** The next `count` records of a partition, by a tail that ends then. */
export const take = async (
  log: EventLog,
  topic: Topic,
  count: number,
  options: Partial<TailOptions> = {},
): Promise<LogRecord[]> => {
  const ended = new AbortController();
  const records: LogRecord[] = [];
  if (count === 0) return records;
  for await (const batch of log.tail(topic, { from: 0, ...options, signal: ended.signal })) {
    records.push(...batch);
    if (records.length >= count) break;
  }
  ended.abort();
  return records.slice(0, count);
};

/** A member that keeps what it is given. */
export interface Collector {
  readonly member: GroupMember;
  readonly records: LogRecord[];
  readonly assignments: Map<number, Assignment>;
  readonly revoked: number[];
}

/** Joins and collects from what was committed (or 0) on; `each` runs within every batch. */
export const collect = async (
  log: EventLog,
  options: Omit<ConsumeOptions, "assigned"> & { readonly from?: number },
  each: (batch: readonly LogRecord[], assignment: Assignment) => Promise<void> = async () => undefined,
): Promise<Collector> => {
  const records: LogRecord[] = [];
  const assignments = new Map<number, Assignment>();
  const revoked: number[] = [];
  const { from, ...rest } = options;
  const member = await log.consume({
    ...rest,
    assigned: async (assignment) => {
      assignments.set(assignment.partition, assignment);
      return {
        startAt: from ?? assignment.committed ?? 0,
        records: async (batch) => {
          records.push(...batch);
          await each(batch, assignment);
        },
        revoked: async () => {
          revoked.push(assignment.partition);
        },
      };
    },
  });
  return { member, records, assignments, revoked };
};

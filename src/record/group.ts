import { type Assignment, GROUPS, type GroupMember } from "../ports/event-log.ts";
import type { Content } from "./content.ts";
import { type RecordContext, untilDone } from "./context.ts";
import { PartitionRecorder } from "./partition-recorder.ts";
import { Turns } from "./turns.ts";

/** Membership in the group `record` for one topic. */
export class RecordGroup<Row> {
  readonly #context: RecordContext;
  readonly #content: Content<Row>;
  readonly #turns: Turns;
  readonly #recorders = new Map<number, PartitionRecorder<Row>>();
  #member: GroupMember | null = null;

  constructor(context: RecordContext, content: Content<Row>) {
    this.#context = context;
    this.#content = content;
    this.#turns = new Turns(content.turns);
  }

  async start(): Promise<void> {
    this.#member = await this.#context.log.consume({
      group: GROUPS.record,
      topic: this.#content.topic,
      assigned: (assignment) => this.#assigned(assignment),
    });
  }

  trouble(): string | null {
    return this.#member?.trouble() ?? null;
  }

  /** Of each partition that this member has, what is not recorded yet, and whose it is. */
  lag(): [number, { readonly topic: string; readonly partition: string }][] {
    const { topic } = this.#content;
    return [...(this.#member?.lag() ?? [])].map(([partition, unread]) => [
      unread + (this.#recorders.get(partition)?.unrecorded ?? 0),
      { topic, partition: String(partition) },
    ]);
  }

  async stop(): Promise<void> {
    await this.#member?.stop();
  }

  async #assigned(assignment: Assignment): Promise<PartitionRecorder<Row>> {
    const { log, control } = this.#context;
    const { topic, partition, signal } = assignment;
    const progress = await untilDone(this.#context, `${topic}/${partition}`, signal, () =>
      control.recordProgress.read(log.logId, topic, partition),
    );
    const recorder = new PartitionRecorder(this.#context, this.#content, assignment, progress, {
      turn: (oldestAt) => this.#turns.take(partition, oldestAt),
      left: () => {
        this.#turns.leave(partition);
        this.#recorders.delete(partition);
      },
    });
    this.#recorders.set(partition, recorder);
    return recorder;
  }
}

import { ENGINE, fullJitterMs } from "../domain/backoff.ts";
import { type Assignment, GROUPS, type GroupMember } from "../ports/event-log.ts";
import type { Content } from "./content.ts";
import { type RecordContext, untilDone } from "./context.ts";
import { PartitionRecorder } from "./partition-recorder.ts";

/** Membership in the group `record` for one topic; it joins again when a consumer failed. */
export class RecordGroup<Row> {
  readonly #context: RecordContext;
  readonly #content: Content<Row>;
  readonly #stopping = new AbortController();
  #member: GroupMember | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(context: RecordContext, content: Content<Row>) {
    this.#context = context;
    this.#content = content;
  }

  async start(): Promise<void> {
    this.#member = await this.#join();
    this.#running = this.#keepJoined(this.#member);
  }

  reportLag(): void {
    const { topic } = this.#content;
    for (const [partition, lag] of this.#member?.lag() ?? [])
      this.#context.metrics.lag.set(lag, { topic, partition: String(partition) });
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error("stopping"));
    await this.#member?.stop();
    await this.#running;
  }

  #join(): Promise<GroupMember> {
    return this.#context.log.consume({
      group: GROUPS.record,
      topic: this.#content.topic,
      assigned: (assignment) => this.#assigned(assignment),
    });
  }

  async #assigned(assignment: Assignment): Promise<PartitionRecorder<Row>> {
    const { log, control } = this.#context;
    const { topic, partition, signal } = assignment;
    const progress = await untilDone(this.#context, `${topic}/${partition}`, signal, () =>
      control.recordProgress.read(log.logId, topic, partition),
    );
    return new PartitionRecorder(this.#context, this.#content, assignment, progress);
  }

  async #keepJoined(first: GroupMember): Promise<void> {
    const { clock, entropy, logger, metrics, trouble } = this.#context;
    const { topic } = this.#content;
    const { signal } = this.#stopping;
    let member: GroupMember | null = first;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        member ??= await this.#join();
        this.#member = member;
        trouble(topic, null);
        await member.done;
        return;
      } catch (error) {
        if (signal.aborted) return;
        trouble(topic, `the consumer failed: ${error instanceof Error ? error.message : String(error)}`);
        logger.error({ topic, error }, "record_consumer_failed");
        metrics.restarts.add(1, { topic });
        await member?.stop().catch(() => undefined);
        member = null;
        await clock.sleep(fullJitterMs(ENGINE, attempt, entropy.random()), signal).catch(() => undefined);
      }
    }
  }
}

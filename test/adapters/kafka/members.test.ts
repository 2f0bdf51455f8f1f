import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { Kafka, logLevel } from "kafkajs";
import { describe, expect, it } from "vitest";
import { EVALUATE_DEFAULTS } from "../../../src/evaluate/settings.ts";
import { type Assignment, type EventLog, LET_GO_MAX_MS } from "../../../src/ports/event-log.ts";
import { numbered } from "../../conformance/event-log/reading.ts";
import { kafkaBrokers, newPrefix, openTestKafkaLog } from "../../support/kafka.ts";
import { testTelemetry } from "../../support/telemetry.ts";
import { until } from "../../support/until.ts";

const brokers = await kafkaBrokers();
const PARTITIONS = 4;
const MEMBER = new URL("member-process.ts", import.meta.url).pathname;

const openLog = (topicPrefix: string, telemetry = testTelemetry()) =>
  openTestKafkaLog({ brokers: brokers ?? [], topicPrefix, partitions: { readings: PARTITIONS }, telemetry });

/** A member that commits what it was given, and notes what happens to it. */
const join = async (
  log: EventLog,
  each: (partition: number) => Promise<void> = async () => undefined,
  letGo: (partition: number) => Promise<void> = async () => undefined,
) => {
  const held = new Map<number, Assignment>();
  const notes: string[] = [];
  const seen = new Map<number, number[]>();
  const member = await log.consume({
    group: "g",
    topic: "readings",
    assigned: async (assignment) => {
      const { partition, committed } = assignment;
      held.set(partition, assignment);
      notes.push(`assigned ${partition}`);
      return {
        startAt: committed ?? 0,
        records: async (batch) => {
          seen.set(partition, [...(seen.get(partition) ?? []), ...batch.map(({ offset }) => offset)]);
          await each(partition);
          await assignment.commit((batch.at(-1)?.offset ?? 0) + 1);
        },
        revoked: async () => {
          await letGo(partition);
          held.delete(partition);
          notes.push(`revoked ${partition}`);
        },
      };
    },
  });
  return { member, held, notes, seen };
};

class MemberProcess {
  readonly child: ChildProcess;
  readonly lines: string[] = [];

  constructor(topicPrefix: string) {
    const parameters = [brokers?.[0] ?? "", topicPrefix, String(PARTITIONS)];
    this.child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MEMBER, ...parameters], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    this.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.lines.push(...text.trim().split("\n"));
    });
  }

  /** Partitions that it was assigned and has not let go of. */
  get held(): string[] {
    const held = new Set<string>();
    for (const [what, partition = ""] of this.lines.map((line) => line.split(" "))) {
      if (what === "assigned") held.add(partition);
      if (what === "revoked") held.delete(partition);
    }
    return [...held].toSorted();
  }

  async kill(): Promise<void> {
    const exit = once(this.child, "exit");
    this.child.kill("SIGKILL");
    await exit;
  }
}

describe.skipIf(brokers === null).concurrent("members of a group on Kafka", () => {
  it("leave at once, also amid their joining", async () => {
    const topicPrefix = newPrefix();
    const [log, other] = [await openLog(topicPrefix), await openLog(topicPrefix)];
    const first = await join(log);
    await until("the first to have all", () => first.held.size === PARTITIONS);
    const groups = new Kafka({ brokers: [...(brokers ?? [])], logLevel: logLevel.NOTHING }).admin();
    const group = async () => (await groups.describeGroups([`${topicPrefix}g`])).groups[0];
    const second = await join(other);
    // It waits for the first, who hears of it at a heartbeat.
    await until("the second to be joining", async () => (await group())?.state === "PreparingRebalance");
    await second.member.stop();
    // Far sooner than its session would end by itself.
    await until("the first to be alone", async () => (await group())?.members.length === 1, 5_000);
    await groups.disconnect();
    await first.member.stop();
    await Promise.all([log.close(), other.close()]);
  });

  it("share partitions, lose only what moves, and read each record once", async () => {
    const topicPrefix = newPrefix();
    const [log, other] = [await openLog(topicPrefix), await openLog(topicPrefix)];
    const first = await join(log);
    await until("all partitions", () => first.held.size === PARTITIONS);
    const append = () =>
      log.append(
        "readings",
        [0, 1, 2, 3].flatMap((partition) => numbered("r", 5, partition)),
      );
    await append();
    const second = await join(other);
    await until("two partitions each", () => first.held.size === 2 && second.held.size === 2);
    await append();
    const all = () => [...first.seen, ...second.seen];
    const count = () => all().reduce((sum, [, offsets]) => sum + offsets.length, 0);
    await until("every record", () => count() === 40);
    for (const partition of [0, 1, 2, 3]) {
      const offsets = all().flatMap(([of, list]) => (of === partition ? list : []));
      expect(offsets).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    }
    expect(first.notes.filter((note) => note.startsWith("revoked"))).toHaveLength(2);
    expect(first.notes.filter((note) => note.startsWith("assigned"))).toHaveLength(PARTITIONS);

    await second.member.stop();
    await until("all partitions again", () => first.held.size === PARTITIONS);
    expect(first.notes.filter((note) => note.startsWith("revoked"))).toHaveLength(2);
    await log.close();
    await other.close();
  });

  it("give a partition to another however long it takes to let go of, and tell that nobody reads it", async () => {
    const topicPrefix = newPrefix();
    const telemetries = [testTelemetry(), testTelemetry()];
    const [log, other] = await Promise.all(telemetries.map((telemetry) => openLog(topicPrefix, telemetry)));
    if (log === undefined || other === undefined) throw new Error("there are two logs");
    const told = async (name: string) => {
      const texts = await Promise.all(telemetries.map(({ metrics }) => metrics.expose()));
      const pattern = new RegExp(`^${name}\\{group="g",topic="readings"\\} (\\d+)$`, "m");
      return texts.map(({ text }) => Number(pattern.exec(text)?.[1]));
    };
    const read = () => told("log_group_partitions_read");
    const slow = Promise.withResolvers<void>();
    const first = await join(log, undefined, () => slow.promise);
    await until("all partitions", async () => (await read())[0] === PARTITIONS);
    const second = await join(other);
    await until("the first's trouble", () => first.member.trouble()?.includes("let go of"));
    expect(first.member.trouble()).toMatch(
      /^partition \d is to move to another process, but has not been let go of here for \d s/,
    );
    expect([...second.held]).toEqual([]);
    expect(await read()).toEqual([2, 0]);
    expect(await told("log_group_partitions")).toEqual([PARTITIONS, PARTITIONS]);
    slow.resolve();
    await until("two partitions each", () => first.held.size === 2 && second.held.size === 2);
    await until("them to be read", async () => (await read()).every((count) => count === 2));
    expect([first.member.trouble(), second.member.trouble()]).toEqual([null, null]);
    await Promise.all([log.close(), other.close()]);
  });

  it("are given partitions by evaluators in time, also by those whose events cannot be written", () => {
    expect(EVALUATE_DEFAULTS.drainMs).toBeLessThan(LET_GO_MAX_MS);
  });

  it("takes over from a process that freezes or dies, within 15 s", async () => {
    const topicPrefix = newPrefix();
    const log = await openLog(topicPrefix);
    const peer = new MemberProcess(topicPrefix);
    try {
      await until("the other process", () => peer.held.length === PARTITIONS);
      const own = await join(log);
      await until("two partitions each", () => own.held.size === 2 && peer.held.length === 2);

      peer.child.kill("SIGSTOP");
      await until("all partitions", () => own.held.size === PARTITIONS, 15_000);
      const before = peer.lines.length;
      peer.child.kill("SIGCONT");
      await until("it to let go", () => peer.held.length === 0, 10_000);
      const [first, second] = peer.lines.slice(before);
      expect([first, second].every((line) => line?.startsWith("aborted"))).toBe(true);
      await until("two partitions each again", () => own.held.size === 2 && peer.held.length === 2);

      await peer.kill();
      await until("all partitions again", () => own.held.size === PARTITIONS, 15_000);
    } finally {
      peer.child.kill("SIGKILL");
      await log.close();
    }
  });

  it("keep a partition whose consumer is busy for longer than a session lasts", async () => {
    const log = await openLog(newPrefix());
    let done = false;
    const own = await join(log, async (partition) => {
      if (partition !== 0 || done) return;
      await delay(10_000);
      done = true;
    });
    await until("all partitions", () => own.held.size === PARTITIONS);
    await log.append("readings", numbered("slow", 1, 0));
    await until("the slow record", () => own.seen.has(0));
    await log.append("readings", [...numbered("slow", 1, 0), ...numbered("quick", 3, 1)]);
    await until("the quick partition", () => own.seen.get(1)?.length === 3);
    expect(done).toBe(false);
    await until("both slow records", async () => (await log.committed("g", "readings")).get(0) === 2, 15_000);
    expect(own.notes).toHaveLength(PARTITIONS);
    expect(own.member.trouble()).toBeNull();
    await own.member.stop();
    await log.close();
  });
});

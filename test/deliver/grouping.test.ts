import fc from "fast-check";
import { expect, test } from "vitest";
import { type AccountId, SourceId } from "../../schemas/common.ts";
import { SignalServiceEvent } from "../../schemas/event.ts";
import { WebhookCreate, type WebhookGroups } from "../../schemas/webhook.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { flushGroups } from "../../src/deliver/group-flush.ts";
import { deliverMetrics } from "../../src/deliver/metrics.ts";
import { takingEvents } from "../../src/deliver/take-events.ts";
import { WebhookBook } from "../../src/deliver/webhook-book.ts";
import { ulid } from "../../src/domain/ids.ts";
import { type AddressedEvent, eventRecord } from "../../src/domain/records.ts";
import type { ControlStore } from "../../src/ports/control-store.ts";
import { ManualClock } from "../support/clock.ts";
import { openTestControl } from "../support/engines.ts";
import { SourceEvents } from "../support/group-events.ts";
import { signalId } from "../support/partition.ts";
import { testTelemetry } from "../support/telemetry.ts";

const SIGNALS = 6;
const EVENTS = ["signal.failed", "signal.updated", "signal.deleted", "alert.firing", "alert.resolved"];

/** What really holds of each signal, and an event for what happens next. */
class Truth {
  readonly #events: SourceEvents;
  readonly #failed = new Set<number>();
  readonly #firing = new Set<number>();
  readonly #gone = new Set<number>();

  constructor(events: SourceEvents) {
    this.#events = events;
  }

  /** Of a signal that is deleted nothing more is heard. */
  next(n: number, what: "status" | "alert" | "rename" | "delete", atMs: number): AddressedEvent[] {
    return this.#gone.has(n) ? [] : [this.#event(n, what, atMs)];
  }

  #event(n: number, what: "status" | "alert" | "rename" | "delete", atMs: number): AddressedEvent {
    const turn = (set: Set<number>) => set.delete(n) || !set.add(n);
    if (what === "status")
      return turn(this.#failed) ? this.#events.recovered(n, atMs) : this.#events.failed(n, atMs);
    if (what === "alert")
      return turn(this.#firing) ? this.#events.resolved(n, atMs) : this.#events.firing(n, atMs);
    if (what === "rename") return this.#events.renamed(n, atMs);
    this.#gone.add(n);
    this.#failed.delete(n);
    this.#firing.delete(n);
    return this.#events.deleted(n, atMs);
  }

  get bad(): string[] {
    return [...new Set([...this.#failed, ...this.#firing])].map((n) => signalId(n)).toSorted();
  }
}

/** What a receiver makes of what it gets. */
class Mirror {
  readonly #open = new Map<string, Set<string>>();
  readonly told: SignalServiceEvent[] = [];
  readonly sequences = new Map<string, number[]>();

  get(event: SignalServiceEvent): void {
    const { signal, alert, group } = event.data;
    if (group !== undefined) {
      this.told.push(event);
      for (const { id, status } of group.signals) this.#set(id, "group", status === "failed");
    }
    if (signal === undefined) return;
    this.sequences.set(signal.id, [...(this.sequences.get(signal.id) ?? []), event.sequence ?? 0]);
    if (event.event === "signal.deleted") this.#open.delete(signal.id);
    else if (alert !== undefined) this.#set(signal.id, alert.id, alert.state === "firing");
    else if (event.event === "signal.failed") this.#set(signal.id, "status", true);
    else if (event.data.previous?.status === "failed") this.#set(signal.id, "status", false);
  }

  get bad(): string[] {
    return [...this.#open].flatMap(([id, open]) => (open.size > 0 ? [id] : [])).toSorted();
  }

  #set(id: string, what: string, isBad: boolean): void {
    const open = this.#open.get(id) ?? new Set();
    if (isBad) open.add(what);
    else open.delete(what);
    this.#open.set(id, open);
  }
}

/** A webhook with groups, and the part of the deliver worker that makes its deliveries; nothing is kept in memory. */
const start = async (
  control: ControlStore,
  clock: ManualClock,
  account: AccountId,
  groups: WebhookGroups,
) => {
  const input = WebhookCreate.parse({ url: "https://a.example/", events: EVENTS, groups });
  const made = await control.webhooks.create(account, input);
  if (!made.ok) throw new Error(made.reason);
  const { id } = made.value;
  const telemetry = testTelemetry();
  const metrics = deliverMetrics(telemetry.metrics);
  let isLost = false;
  /** The transaction is done, or undone, and its answer never comes. */
  const transaction: ControlStore["transaction"] = async (work) => {
    if (!isLost) return control.transaction(work);
    isLost = false;
    const undone = control.transaction(async (within) => {
      await work(within);
      throw new Error("killed");
    });
    await expect(undone).rejects.toThrow("killed");
    return control.transaction(work);
  };
  const retrying = <T>(task: () => Promise<T>) => task();
  let offset = 0;
  const take = async (events: readonly AddressedEvent[], from = offset): Promise<void> => {
    const { log: logger } = telemetry;
    const book = new WebhookBook();
    const parts = { control: { transaction }, clock, book, dispatcher: null, metrics, logger, retrying };
    const records = events.map(eventRecord).map(({ value, headers = {} }, n) => ({
      offset: from + n,
      partition: 0,
      key: null,
      headers,
      value,
      appendedAt: clock.now(),
    }));
    await takingEvents(parts)(records, new AbortController().signal);
    offset = Math.max(offset, from + events.length);
  };
  const flush = () =>
    transaction(async (within) => {
      const book = new WebhookBook();
      await book.refresh(within);
      return flushGroups(within, book, clock.now(), 10);
    });
  const mirror = new Mirror();
  const seen = new Set<string>();
  const deliver = async (): Promise<void> => {
    for (const { id: deliveryId, body } of await control.deliveries.first(id, -1, 10_000)) {
      if (seen.has(deliveryId)) continue;
      seen.add(deliveryId);
      mirror.get(SignalServiceEvent.parse(JSON.parse(body)));
    }
  };
  const lose = () => {
    isLost = true;
  };
  return { id, take, flush, deliver, mirror, lose, offset: () => offset };
};

const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("events" as const),
      events: fc.array(
        fc.record({
          n: fc.nat(SIGNALS - 1),
          what: fc.constantFrom("status", "status", "status", "alert", "rename", "delete"),
        }),
        { minLength: 1, maxLength: 6 },
      ),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("pass" as const), ms: fc.nat(25_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("kill" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("again" as const) }) },
);
const settings = fc.record({
  waitSeconds: fc.constantFrom(1, 10),
  intervalSeconds: fc.constantFrom(1, 20, 60),
  minSignals: fc.integer({ min: 1, max: 4 }),
});

test("whatever happens, is killed or comes again, who gets singles and groups knows what is failed in the end", async () => {
  const clock = new ManualClock();
  const control = await openTestControl(clock);
  const account = (await control.accounts.first()).id;
  const property = async (
    groups: WebhookGroups,
    steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[],
  ) => {
    const source = SourceId.parse(`src_${ulid(clock.now(), systemEntropy.bytes(10))}`);
    const truth = new Truth(new SourceEvents(account, source));
    const run = await start(control, clock, account, groups);
    let last: AddressedEvent[] = [];
    let lastAt = 0;
    for (const one of steps) {
      if (one.kind === "kill") run.lose();
      else if (one.kind === "again") await run.take(last, lastAt);
      else if (one.kind === "pass") {
        clock.advance(one.ms);
        await run.flush();
      } else {
        lastAt = run.offset();
        last = one.events.flatMap(({ n, what }) => truth.next(n, what, clock.now()));
        await run.take(last);
      }
      await run.deliver();
    }
    for (let i = 0; i < 4; i++) {
      clock.advance(groups.intervalSeconds * 1_000 + groups.waitSeconds * 1_000);
      await run.flush();
      await run.deliver();
    }
    const { mirror } = run;
    expect(mirror.bad).toEqual(truth.bad);
    // Nobody is left waiting, and singles of a signal came in order.
    const left = await control.deliveries.list(account, run.id, { limit: 500, status: "held" });
    expect(left?.items).toEqual([]);
    for (const sequences of mirror.sequences.values())
      expect(sequences).toEqual(sequences.toSorted((a, b) => a - b));
    const byGroup = Map.groupBy(mirror.told, ({ data }) => data.group?.id);
    for (const told of byGroup.values()) {
      expect(told.map(({ data }) => data.group?.number)).toEqual(told.map((_, i) => i + 1));
      expect(told[0]?.data.group?.counts.failed).toBeGreaterThanOrEqual(groups.minSignals);
      const degraded = told
        .filter(({ event }) => event === "source.degraded")
        .map(({ createdAt }) => Date.parse(createdAt));
      const gaps = degraded.slice(1).map((at, i) => at - (degraded[i] ?? 0));
      for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(groups.intervalSeconds * 1_000);
      expect(told.slice(0, -1).every(({ event }) => event === "source.degraded")).toBe(true);
    }
    const isOver = (told: readonly SignalServiceEvent[]) => told.at(-1)?.event === "source.recovered";
    if (truth.bad.length === 0) expect([...byGroup.values()].every(isOver)).toBe(true);
    const removed = await control.webhooks.remove(account, run.id);
    expect(removed.ok).toBe(true);
  };
  await fc.assert(fc.asyncProperty(settings, fc.array(step, { minLength: 3, maxLength: 25 }), property), {
    numRuns: 100,
  });
}, 300_000);

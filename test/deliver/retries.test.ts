import { describe, expect, test } from "vitest";
import { EventKind } from "../../schemas/event.ts";
import { RETRY_DELAYS_MS } from "../../src/domain/webhooks/schedule.ts";
import { Delivering } from "../support/deliver.ts";
import { allRecords } from "../support/engines.ts";
import { type Receiver, startReceiver } from "../support/receiver.ts";

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

const setUp = async () => {
  const own = await Delivering.open();
  const receiver = await startReceiver();
  const { id } = await own.subscribe(receiver.url);
  await own.start();
  const attempts = async () => (await own.deliveries(id)).flatMap((one) => one.attempts);
  const attempted = (count: number) =>
    own.passing(`attempt ${count}`, async () => (await attempts()).length >= count);
  const shown = async () => {
    const now = await own.control.webhooks.get(own.account, id);
    if (now === null) throw new Error("it is gone");
    return now;
  };
  return { own, receiver, id, attempts, attempted, shown };
};
const answers = (receiver: Receiver, status: number, headers: Record<string, string> = {}) => {
  receiver.answer = (_, response) => response.writeHead(status, headers).end("no");
};

describe("an endpoint that fails", () => {
  test("gets a delivery ten times by the schedule, to the day, and then it has failed", async () => {
    const { own, receiver, id, attempted } = await setUp();
    answers(receiver, 500);
    await own.happen();
    for (const [failed, delayMs] of RETRY_DELAYS_MS.entries()) {
      await attempted(failed + 1);
      const [delivery] = await own.deliveries(id);
      expect(delivery).toMatchObject({ status: "pending" });
      const waitMs =
        Date.parse(delivery?.nextAttemptAt ?? "") - Date.parse(delivery?.attempts.at(-1)?.at ?? "");
      expect(waitMs).toBeGreaterThanOrEqual(delayMs * 0.8);
      // What the request took, and what saving it did.
      expect(waitMs).toBeLessThanOrEqual(delayMs * 1.2 + 10 * SECOND_MS);
      // Not before its time.
      const leftMs = Date.parse(delivery?.nextAttemptAt ?? "") - own.clock.now();
      own.clock.leap(Math.max(0, leftMs - SECOND_MS));
      expect(receiver.received).toHaveLength(failed + 1);
    }
    await attempted(10);
    const [delivery] = await own.deliveries(id);
    expect(delivery).toMatchObject({ status: "failed", nextAttemptAt: null });
    expect(delivery?.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    own.clock.leap(48 * HOUR_MS);
    await own.happen();
    await attempted(11);
    expect((await own.deliveries(id)).map(({ attempts }) => attempts.length).toSorted()).toEqual([1, 10]);
  });

  test("and asks for more time gets it", async () => {
    const { own, receiver, id, attempted } = await setUp();
    answers(receiver, 503, { "Retry-After": "7200" });
    await own.happen();
    await attempted(1);
    const [delivery] = await own.deliveries(id);
    const waitMs = Date.parse(delivery?.nextAttemptAt ?? "") - Date.parse(delivery?.attempts[0]?.at ?? "");
    expect(waitMs).toBeGreaterThanOrEqual(2 * HOUR_MS);
    expect(waitMs).toBeLessThan(2 * HOUR_MS + 10 * SECOND_MS);
  });

  test("ten times in a row is left alone, probed after a while, and gets all once it is well", async () => {
    const { own, receiver, id, attempts, attempted, shown } = await setUp();
    answers(receiver, 500);
    await own.happen(40);
    await attempted(10);
    const { circuit } = await own.passing("the circuit to open", async () => {
      const now = await shown();
      return now.circuit.openUntilMs === null ? null : now;
    });
    expect(circuit.failuresInRow).toBe(10);
    const made = (await attempts()).length;
    // Those that were under way when the tenth failed.
    expect(made).toBeLessThanOrEqual(13);
    // What waits keeps its attempts.
    expect((await own.deliveries(id)).filter((one) => one.attempts.length === 0).length).toBeGreaterThan(25);
    await own.passing("the pause to end", () => own.clock.now() >= (circuit.openUntilMs ?? 0));
    await attempted(made + 1);
    expect((await shown()).circuit.failuresInRow).toBe(11);
    answers(receiver, 200);
    await own.passing("all to arrive", async () =>
      (await own.deliveries(id)).every(({ status }) => status === "delivered"),
    );
    expect((await shown()).circuit).toEqual({ failuresInRow: 0, failingSinceMs: null, openUntilMs: null });
    expect(receiver.received.length).toBe((await attempts()).length);
  });

  test("for 120 hours is disabled, not before, and the account is told", async () => {
    const { own, receiver, attempts, attempted, shown } = await setUp();
    answers(receiver, 500);
    for (let hours = 0; hours < 140 && (await shown()).webhook.settings.enabled; hours += 10) {
      const made = (await attempts()).length;
      await own.happen();
      await attempted(made + 1);
      const { circuit, webhook } = await shown();
      const failedMs = own.clock.now() - (circuit.failingSinceMs ?? own.clock.now());
      if (webhook.settings.enabled) expect(failedMs).toBeLessThan(120 * HOUR_MS + 30 * SECOND_MS);
      own.clock.leap(10 * HOUR_MS);
    }
    const { webhook } = await shown();
    expect(webhook.settings.enabled).toBe(false);
    expect(webhook.disabledReason).toContain("failed for 120 hours");
    expect(webhook.updatedAt - webhook.createdAt).toBeGreaterThanOrEqual(120 * HOUR_MS);
    const kinds = () =>
      allRecords(own.log, "events").then((records) =>
        records.map(({ value }) => EventKind.parse(JSON.parse(Buffer.from(value).toString()).event)),
      );
    await own.passing("the event", async () => (await kinds()).includes("webhook.disabled"));
  });
});

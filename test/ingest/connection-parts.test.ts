import { describe, expect, it } from "vitest";
import { ingestMetrics } from "../../src/intake/metrics.ts";
import { RejectionLog } from "../../src/intake/rejection-log.ts";
import { Handshake } from "../../src/sources/handshake.ts";
import { Heartbeat } from "../../src/sources/heartbeat.ts";
import { ManualClock } from "../support/clock.ts";
import { testTelemetry } from "../support/telemetry.ts";

describe("a heartbeat", () => {
  const start = () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const heartbeat = new Heartbeat(
      { intervalSeconds: 20, expectWithinSeconds: 5 },
      clock,
      () => told.push("beat"),
      (reason) => told.push(reason),
    );
    return { clock, told, heartbeat };
  };

  it("beats as long as there is life, and ends when there is none", () => {
    const { clock, told, heartbeat } = start();
    for (let beat = 0; beat < 3; beat++) {
      clock.advance(20_000);
      heartbeat.alive();
    }
    clock.advance(24_999);
    expect(told).toEqual(["beat", "beat", "beat", "beat"]);
    clock.advance(1);
    expect(told.at(-1)).toBe("no sign of life came within 5 s of a heartbeat");
    expect(clock.pending).toBe(0);
  });

  it("blames nobody while we do not listen", () => {
    const { clock, told, heartbeat } = start();
    clock.advance(20_000);
    heartbeat.deaf();
    clock.advance(100_000);
    heartbeat.hearing();
    expect(told.every((word) => word === "beat")).toBe(true);
    clock.advance(25_000);
    expect(told.at(-1)).toContain("no sign of life");
  });
});

describe("a handshake", () => {
  it("waits for each message it expects, within each one's time, and uses up no other", () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const handshake = new Handshake(
      [
        { expect: "hello", timeoutSeconds: 1 },
        { send: { subscribe: "all" } },
        { expect: "$[?@.ok == true]", timeoutSeconds: 2 },
        { send: "go" },
      ],
      clock,
      {
        send: (text) => told.push(text),
        done: () => told.push("done"),
        failed: (reason) => told.push(reason),
      },
    );
    handshake.proceed();
    expect(handshake.offer(() => "{}")).toBe(false);
    expect(handshake.offer(() => "well, hello there")).toBe(true);
    clock.advance(1_999);
    expect(handshake.offer(() => "no JSON")).toBe(false);
    expect(handshake.offer(() => '[{"ok":true}]')).toBe(true);
    expect(told).toEqual(['{"subscribe":"all"}', "go", "done"]);
    expect(handshake.offer(() => "hello")).toBe(false);
    expect(clock.pending).toBe(0);
  });
});

describe("a handshake whose far end is not read from", () => {
  it("does not count that time, and fails when the rest of it is over", () => {
    const clock = new ManualClock();
    const told: string[] = [];
    const ends = {
      send: (text: string) => told.push(text),
      done: () => told.push("done"),
      failed: (reason: string) => told.push(reason),
    };
    const handshake = new Handshake([{ expect: "hello", timeoutSeconds: 2 }], clock, ends);
    handshake.deaf();
    handshake.proceed();
    clock.advance(60_000);
    handshake.hearing();
    clock.advance(1_500);
    handshake.deaf();
    clock.advance(60_000);
    handshake.hearing();
    clock.advance(499);
    expect(told).toEqual([]);
    clock.advance(1);
    expect(told).toEqual(["handshake step 1: no message with hello came within 2 s"]);
    expect(clock.pending).toBe(0);
  });
});

describe("the rejections of a source", () => {
  it("are kept ten a second, the newest hundred where nobody takes them", () => {
    const clock = new ManualClock();
    const log = new RejectionLog(clock, ingestMetrics(testTelemetry().metrics));
    for (let second = 0; second < 20; second++) {
      for (let n = 0; n < 30; n++) log.add("not_json", `${second}`, "x".repeat(10_000));
      expect(log.keeping).toBe(false);
      clock.advance(1_000);
      expect(log.keeping).toBe(true);
    }
    const kept = log.take();
    expect(kept).toHaveLength(100);
    expect(new Set(kept.map(({ detail }) => detail))).toEqual(
      new Set(Array.from({ length: 10 }, (_, n) => `${n + 10}`)),
    );
    expect(kept[0]?.payload).toHaveLength(4_096);
    log.add("not_json", "later", "\0\ud800");
    log.restore(kept);
    expect(log.take().at(-1)).toMatchObject({ detail: "later", payload: "\ufffd\ufffd" });
  });
});

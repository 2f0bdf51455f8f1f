import { describe, expect, it } from "vitest";
import { compileMapping } from "../../src/domain/mapping/compile.ts";
import { BackPressure } from "../../src/intake/back-pressure.ts";
import { ingestMetrics } from "../../src/intake/metrics.ts";
import { Receipt } from "../../src/intake/receipt.ts";
import { payloadOf, RejectionLog } from "../../src/intake/rejection-log.ts";
import { type Origin, WaitingReadings } from "../../src/intake/waiting-readings.ts";
import { ManualClock } from "../support/clock.ts";
import { heldBytes } from "../support/heap.ts";
import { testTelemetry } from "../support/telemetry.ts";

const MIB = 2 ** 20;
const waiting = (limitBytes = 2 ** 40) => {
  const told: boolean[] = [];
  const pressure = new BackPressure(limitBytes);
  return { told, pressure, readings: new WaitingReadings(pressure, (tooMany) => told.push(tooMany)) };
};
const reading = { atMs: 1_767_225_600_000.5, strength: -70.5, receipt: new Receipt() };
const nothing: Origin = { kept: () => null, labels: () => ({}) };
const bigMessage = (n: number) => `{"id":"n${n}","site":"${"s".repeat(MIB)}","rssi":-70}`;
const compiled = compileMapping({ signal: "$.id", strength: "$.rssi", labels: { site: "$.site" } });
if (!compiled.ok) throw new Error(compiled.message);
const { mapping } = compiled;

describe("readings that wait for their signals' ids", () => {
  it("hold the start of a few messages, and no message, however many came and however large", async () => {
    const { pressure, readings } = waiting();
    const before = await heldBytes();
    for (let n = 0; n < 60; n++) {
      const text = bigMessage(n);
      const message = JSON.parse(text);
      readings.add(`n${n}`, reading, {
        kept: () => ({ payload: payloadOf(text), place: { index: 0, message: { elements: 1 } } }),
        labels: () => mapping.labels(message, message),
      });
    }
    expect((await heldBytes()) - before).toBeLessThan(5 * MIB);
    const taken = Array.from({ length: 60 }, (_, n) => readings.take(`n${n}`)).flat();
    expect(taken.map(({ kept }) => kept !== null)).toEqual([
      ...Array(10).fill(true),
      ...Array(50).fill(false),
    ]);
    expect(pressure.bytes).toBe(0);
  });

  it("weigh in back-pressure about what they hold", async () => {
    const { pressure, readings } = waiting();
    const labels = () => ({ site: payloadOf("é".repeat(200)), kind: payloadOf("k".repeat(100)) });
    const before = await heldBytes();
    for (let n = 0; n < 20_000; n++)
      readings.add(`name-${n}`, { ...reading, atMs: n + 0.5 }, { ...nothing, labels });
    for (let n = 0; n < 100_000; n++) readings.add(`name-${n % 100}`, { ...reading, atMs: n + 0.5 }, nothing);
    const held = (await heldBytes()) - before;
    expect(readings.count).toBe(120_000);
    expect(pressure.bytes).toBeGreaterThan(held * 0.7);
    expect(pressure.bytes).toBeLessThan(held * 2.5);
  });

  it("pause their source alone by what they weigh, and let it go on at half of that", () => {
    const { told, pressure, readings } = waiting();
    let names = 0;
    for (; told.length === 0; names++) readings.add(`${names}`, reading, nothing);
    expect(pressure.bytes).toBeGreaterThan(8 * MIB);
    expect(pressure.bytes).toBeLessThan(8.1 * MIB);
    while (told.length === 1) readings.take(`${--names}`);
    expect(told).toEqual([true, false]);
    expect(pressure.bytes).toBeLessThanOrEqual(4 * MIB);
    readings.clear();
    expect([pressure.bytes, readings.count, readings.empty]).toEqual([0, 0, true]);
  });
});

describe("the payload of a rejection", () => {
  it("is at most 4 kB of UTF-8, and ends between two characters", () => {
    for (const character of ["x", "é", "€", "😀", "\0"]) {
      for (const shift of ["", "a", "ab", "abc"]) {
        const payload = payloadOf(shift + character.repeat(5_000));
        const bytes = Buffer.byteLength(payload);
        expect(bytes).toBeLessThanOrEqual(4_096);
        expect(bytes).toBeGreaterThan(4_092);
        expect(new Set(payload.slice(shift.length))).toEqual(
          new Set([character === "\0" ? "\ufffd" : character]),
        );
      }
    }
    expect(payloadOf("\ufeffshort")).toBe("\ufeffshort");
  });

  it("holds no more of a message than itself, and so does the detail beside it", async () => {
    const log = new RejectionLog(new ManualClock(), ingestMetrics(testTelemetry().metrics));
    const before = await heldBytes();
    for (let n = 0; n < 10; n++) {
      const text = `{"n":${n},"junk":"${"y".repeat(4 * MIB)}"`;
      log.add("not_json", text.slice(0, 500), text);
    }
    expect((await heldBytes()) - before).toBeLessThan(10 * MIB);
    expect(log.take()).toHaveLength(10);
  });
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveConnection } from "../../src/dashboard/live/connection.ts";
import type { FromWorker } from "../../src/dashboard/live/messages.ts";

/** A line of which the test says what comes over it. */
class Line {
  static readonly OPEN = 1;
  static all: Line[] = [];
  readyState = 0;
  onopen: (() => void) | null = null;
  onmessage: ((message: { data: string }) => void) | null = null;
  onclose: ((end: { code: number }) => void) | null = null;
  readonly sent: string[] = [];

  constructor() {
    Line.all.push(this);
  }
  send(text: string): void {
    this.sent.push(text);
  }
  /** As over a dead line: nobody says that it is over. */
  close(): void {
    this.readyState = 2;
  }
  open(): void {
    this.readyState = Line.OPEN;
    this.onopen?.();
    this.say({ type: "subscribed", after: null });
  }
  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

const socket = globalThis.WebSocket;
let told: FromWorker[] = [];
let connection: LiveConnection;
const states = () => told.flatMap((message) => (message.kind === "connection" ? [message] : []));

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "setTimeout", "clearTimeout", "performance"] });
  vi.stubGlobal("WebSocket", Line);
  Line.all = [];
  told = [];
  connection = new LiveConnection({
    url: "ws://signals.example/",
    tell: (message) => void told.push(message),
  });
  connection.start();
});
afterEach(() => {
  connection.stop();
  vi.stubGlobal("WebSocket", socket);
  vi.useRealTimers();
});

test("a line that has fallen silent is given up at once, and told of with how long that was", () => {
  const [line] = Line.all;
  line?.open();
  vi.advanceTimersByTime(5_000);
  line?.say({ type: "pong" });
  expect(states().map(({ state }) => state)).toEqual(["connecting", "open"]);
  vi.advanceTimersByTime(24_000);
  expect(states().length).toBe(2);
  vi.advanceTimersByTime(3_000);
  expect(states().at(-1)?.state).toBe("lost");
  expect(states().at(-1)?.silentMs).toBeGreaterThan(25_000);
  expect(states().at(-1)?.silentMs).toBeLessThan(27_000);
  vi.advanceTimersByTime(5_000);
  expect(Line.all.length).toBe(2);
  Line.all[1]?.open();
  expect(states().at(-1)).toEqual({ kind: "connection", state: "open", silentMs: 0 });
});

test("what a line says that was given up is not taken for words of the one after it", () => {
  const [line] = Line.all;
  line?.open();
  vi.advanceTimersByTime(32_000);
  Line.all[1]?.open();
  Line.all[1]?.say({ type: "signals", handles: { 0: "sig_b" } });
  line?.say({ type: "signals", handles: { 0: "sig_a" } });
  line?.say({ type: "readings", base: 0, readings: [[0, 0, -50, 1, 0]] });
  line?.onclose?.({ code: 1006 });
  vi.advanceTimersByTime(1_000);
  expect(told.filter(({ kind }) => kind === "signals" || kind === "readings")).toEqual([
    { kind: "signals", from: 0, ids: ["sig_b"] },
  ]);
  expect(states().at(-1)?.state).toBe("open");
});

test("one that answers pings is left as it is", () => {
  const [line] = Line.all;
  line?.open();
  for (let n = 0; n < 10; n++) {
    vi.advanceTimersByTime(10_000);
    line?.say({ type: "pong" });
  }
  expect(line?.sent.filter((text) => text.includes("ping")).length).toBe(10);
  expect(states().map(({ state }) => state)).toEqual(["connecting", "open"]);
});

const asked = (line: Line | undefined) =>
  line?.sent.filter((text) => text.includes("subscribe")).map((text) => JSON.parse(text).events);

test("a connection whose subscription ends is given up, and the next one goes on where it was", () => {
  Line.all[0]?.open();
  Line.all[0]?.say({ type: "event", id: "all", event: { id: "evt_7", event: "alert.firing", data: {} } });
  Line.all[0]?.say({ type: "error", id: "all", code: "pipeline_unavailable", detail: "not yet" });
  expect(states().at(-1)?.state).toBe("lost");
  vi.advanceTimersByTime(1_000);
  Line.all[1]?.open();
  expect(asked(Line.all[1])).toEqual([{ after: "evt_7" }]);
  expect(states().at(-1)?.state).toBe("open");
});

test("where it cannot be gone on from there, what comes from now on is shown", () => {
  Line.all[0]?.open();
  Line.all[0]?.say({ type: "event", id: "all", event: { id: "evt_7", event: "alert.firing", data: {} } });
  Line.all[0]?.say({ type: "error", id: "all", code: "validation_failed", detail: "after: no such event" });
  vi.advanceTimersByTime(1_000);
  Line.all[1]?.open();
  expect(asked(Line.all[1])).toEqual([{}]);
});

test("one of other things said wrong is no reason to give it up", () => {
  Line.all[0]?.open();
  Line.all[0]?.say({ type: "error", code: "rate_limited", detail: "too many messages" });
  expect(states().at(-1)?.state).toBe("open");
});

test("what breaks again and again is tried more and more slowly, until it has held for a while", () => {
  const refuse = () => Line.all.at(-1)?.say({ type: "error", id: "all", code: "internal", detail: "no" });
  for (let n = 0; n < 8; n++) {
    Line.all.at(-1)?.open();
    refuse();
    vi.advanceTimersByTime(5_000);
  }
  Line.all.at(-1)?.open();
  refuse();
  const before = Line.all.length;
  vi.advanceTimersByTime(2_400);
  expect(Line.all.length).toBe(before);
  vi.advanceTimersByTime(2_600);
  Line.all.at(-1)?.open();
  vi.advanceTimersByTime(10_000);
  refuse();
  const held = Line.all.length;
  vi.advanceTimersByTime(500);
  expect(Line.all.length).toBe(held + 1);
});

/** As the service ends a connection whose session has ended. */
const endSession = (line: Line | undefined) => line?.onclose?.({ code: 4401 });

test("once the session has ended no other is followed until that is said, and then from where it was", () => {
  Line.all[0]?.open();
  Line.all[0]?.say({ type: "event", id: "all", event: { id: "evt_7", event: "alert.firing", data: {} } });
  endSession(Line.all[0]);
  expect(states().at(-1)?.state).toBe("refused");
  vi.advanceTimersByTime(600_000);
  expect(Line.all.length).toBe(1);
  connection.again();
  vi.advanceTimersByTime(1_000);
  Line.all[1]?.open();
  expect(asked(Line.all[1])).toEqual([{ after: "evt_7" }]);
  expect(states().at(-1)?.state).toBe("open");
  connection.again();
  vi.advanceTimersByTime(10_000);
  expect(Line.all.length).toBe(2);
});

test("where it is refused again and again it is asked for more and more slowly", () => {
  for (let n = 0; n < 8; n++) {
    endSession(Line.all.at(-1));
    connection.again();
    vi.advanceTimersByTime(5_000);
  }
  const before = Line.all.length;
  endSession(Line.all.at(-1));
  connection.again();
  vi.advanceTimersByTime(2_400);
  expect(Line.all.length).toBe(before);
  vi.advanceTimersByTime(2_600);
  expect(Line.all.length).toBe(before + 1);
});

test("what the page knows to be over is ended at once, and what still comes of it is not taken", () => {
  const [line] = Line.all;
  line?.open();
  connection.hold();
  expect(line?.readyState).toBe(2);
  line?.say({ type: "signals", handles: { 0: "sig_a" } });
  line?.onclose?.({ code: 1006 });
  vi.advanceTimersByTime(600_000);
  expect(told.filter(({ kind }) => kind === "signals")).toEqual([]);
  expect(states().map(({ state }) => state)).toEqual(["connecting", "open", "refused"]);
  expect(Line.all.length).toBe(1);
});

test("a connection that was to be made anew is not made while it is held, and then but once", () => {
  Line.all[0]?.onclose?.({ code: 1006 });
  connection.hold();
  vi.advanceTimersByTime(600_000);
  expect(Line.all.length).toBe(1);
  connection.again();
  vi.advanceTimersByTime(1_000);
  expect(Line.all.length).toBe(2);
  Line.all[1]?.onclose?.({ code: 1006 });
  connection.hold();
  connection.again();
  vi.advanceTimersByTime(5_000);
  expect(Line.all.length).toBe(3);
});

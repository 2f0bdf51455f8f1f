import { describe, expect, it } from "vitest";
import { SourceId } from "../../schemas/common.ts";
import { WebSocketSourceCreate } from "../../schemas/source.ts";
import { systemEntropy } from "../../src/adapters/system/clock.ts";
import { compileMapping } from "../../src/domain/mapping/compile.ts";
import { INGEST_DEFAULTS } from "../../src/ingest/settings.ts";
import { SourceFlow } from "../../src/ingest/source-flow.ts";
import { BackPressure } from "../../src/intake/back-pressure.ts";
import { BlockWriter } from "../../src/intake/block-writer.ts";
import { Intake } from "../../src/intake/intake.ts";
import { ingestMetrics } from "../../src/intake/metrics.ts";
import { RejectionLog } from "../../src/intake/rejection-log.ts";
import { Resolver } from "../../src/intake/resolver.ts";
import { SignalCache } from "../../src/intake/signal-cache.ts";
import { SourceLedger } from "../../src/intake/source-ledger.ts";
import type { SourceContext } from "../../src/sources/source.ts";
import { type Message, UnheardMessages } from "../../src/sources/unheard-messages.ts";
import { webSocketSource } from "../../src/sources/websocket.ts";
import { ManualClock } from "../support/clock.ts";
import { FarEnd } from "../support/far-end.ts";
import { TestIngest } from "../support/ingest.ts";
import { testTelemetry } from "../support/telemetry.ts";
import { until } from "../support/until.ts";

/** The parts of a source, on a clock that stands still, without a worker around them. */
const parts = async () => {
  const { control, accountId } = await TestIngest.start();
  const { log: logger, metrics: registry } = testTelemetry();
  const metrics = ingestMetrics(registry);
  const clock = new ManualClock();
  const pressure = new BackPressure(2 ** 30);
  const ledger = new SourceLedger(metrics, null);
  const writer = new BlockWriter({ partitions: 1, clock, pressure });
  const lease = { isHeld: true, onHeld: () => () => undefined };
  const flow = new SourceFlow({ pressure, lease, ledger, clock, announce: () => undefined });
  const cache = new SignalCache(10, systemEntropy);
  const shared = { writer, clock, pressure, logger, metrics, cache, entropy: systemEntropy };
  const sourceId = SourceId.parse("src_01JDA2V3Q8R5T7W9Y1B3D5F7H9");
  const { defaults } = WebSocketSourceCreate.parse({ name: "n", type: "websocket", url: "ws://localhost" });
  const resolver = new Resolver(
    { ...shared, signals: control.signals, partitions: 1 },
    { accountId, sourceId, create: false, defaults },
    { rejectedName: () => undefined, waiting: () => undefined },
  );
  const compiled = compileMapping({ preset: "default" });
  if (!compiled.ok) throw new Error(compiled.message);
  const rejections = new RejectionLog(clock, metrics);
  const { mapping } = compiled;
  const intake = new Intake({ mapping, resolver, writer, ledger, rejections, clock, retentionRawDays: null });
  return { clock, flow, intake, ledger };
};

const message = (text: string): Message => ({ data: Buffer.from(text), binary: false });

describe("a far end that floods", () => {
  it("with the tiniest frames has a few thousand of them heard in one turn, and all in their order", async () => {
    const { flow } = await parts();
    const heard: number[] = [];
    const unheard = new UnheardMessages(
      () => flow.paused,
      ({ data }) => {
        flow.spend(0);
        heard.push(Number(data));
      },
    );
    flow.attach({ pause: () => undefined, resume: () => unheard.resume() });
    // As `ws` tells of a chunk of 64 KiB: all at once, whatever is paused meanwhile.
    for (let n = 0; n < 20_000; n++) unheard.arrived(message(`${n}`));
    const turns = [heard.length];
    for (let before = heard.length; heard.length < 20_000; before = heard.length) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      turns.push(heard.length - before);
    }
    expect(heard).toEqual(Array.from({ length: 20_000 }, (_, n) => n));
    expect(Math.max(...turns)).toBeLessThan(5_000);
  });

  it("with messages that take long has its turn ended by the time they take", async () => {
    const { clock, flow } = await parts();
    let heard = 0;
    const unheard = new UnheardMessages(
      () => flow.paused,
      () => {
        flow.spend(100);
        heard++;
        clock.advance(5);
      },
    );
    flow.attach({ pause: () => undefined, resume: () => unheard.resume() });
    for (let n = 0; n < 100; n++) unheard.arrived(message("{}"));
    expect(heard).toBeLessThan(5);
    await until("all of them", () => heard === 100);
  });

  it("with frames that are too large is connected to later and later", async () => {
    const { clock, flow, intake, ledger } = await parts();
    const far = await FarEnd.start((client) => client.send("x".repeat(2_000)));
    const delays: number[] = [];
    const stop = new AbortController();
    const context: SourceContext = {
      ...{ clock, flow, intake },
      position: { load: async () => null, save: () => undefined },
      entropy: { ...systemEntropy, random: () => 0.5 },
      settings: { ...INGEST_DEFAULTS, maxPayloadBytes: 1_000 },
      fault: (error) => expect.fail(String(error)),
      report: {
        connecting: () => undefined,
        connected: () => undefined,
        failed: (reason) => expect.fail(reason),
        reconnecting: () => undefined,
        waiting: (reason, delayMs) => {
          expect(reason).toBe("it sent a message of more than 1000 bytes");
          delays.push(delayMs);
          if (delays.length === 9) stop.abort();
          setImmediate(() => clock.advance(delayMs));
        },
      },
    };
    const settings = WebSocketSourceCreate.parse({ name: "n", type: "websocket", url: far.url });
    await webSocketSource(settings)(context, stop.signal);
    expect(delays).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(far.requests).toHaveLength(9);
    expect(ledger.status().counters).toMatchObject({ messages: 9, rejected: 9 });
  });

  it("and hangs up at once has every reading taken that came before, in order", async () => {
    const ingest = await TestIngest.start();
    const far = await FarEnd.start((client, number) => {
      if (number > 1) return;
      for (let n = 0; n < 20_000; n++) client.send(`{"id":"a","dbm":${-(n + 1) / 1000}}`);
      client.close();
    });
    await ingest.create({ type: "websocket", url: far.url });
    const lines = await until("all readings", async () => {
      const found = await ingest.lines();
      return found.length === 20_000 ? found : null;
    });
    expect(lines.map(({ strength }) => strength)).toEqual(
      Array.from({ length: 20_000 }, (_, n) => -(n + 1) / 1000),
    );
  });
});

import { createBirpc } from "birpc";
import { systemClock, systemEntropy } from "../../adapters/system/clock.ts";
import { beNicer } from "../../adapters/system/niceness.ts";
import { channel, type Port } from "../../adapters/threads/channel.ts";
import type { Health } from "../../ports/worker.ts";
import { pinoLogger, prometheusMetrics } from "../../telemetry/telemetry.ts";
import { type PipelineWorker, programOf } from "../pipeline.ts";
import { type MainCalls, THREAD_CHANNEL, type ThreadCalls, type ThreadData } from "./thread-calls.ts";
import { openThreadEngines } from "./thread-engines.ts";

const HEALTH_EVERY_MS = 500;

/**
 * How much nicer each is than the others, the API and the time series: where cores are short, what is read comes before
 * what is stored, and both before more of it is taken in; sources then wait, as they would for a full log.
 */
const NICENESS: Readonly<Record<PipelineWorker, number>> = { evaluate: 0, record: 3, ingest: 6 };

/**
 * Does what the main thread asks at the other end of `port`; `started` is called when the worker runs. Its program is
 * loaded at once, while the engines open.
 */
export const serveThread = (port: Port, thread: PipelineWorker, started: () => void): void => {
  const program = programOf(thread);
  const metrics = prometheusMetrics({ thread, ofProcess: false });
  const running = new AsyncDisposableStack();
  const start = async (data: ThreadData) => {
    beNicer(NICENESS[data.name]);
    const telemetry = { log: pinoLogger(data.config.LOG_LEVEL), metrics };
    const surroundings = { clock: systemClock, entropy: systemEntropy, telemetry };
    let health = (): Health[] => [];
    // From the beginning: a thread that hangs as it starts is noticed, too.
    const tell = () => void main.health.asEvent(health());
    running.defer(systemClock.every(HEALTH_EVERY_MS, tell));
    const engines = running.use(await openThreadEngines(data, port, surroundings));
    const begun = await (await program)(engines, data.config, surroundings);
    running.defer(() => begun.stop());
    health = () => [...engines.health(), ...begun.health()];
    tell();
    started();
  };
  const calls: ThreadCalls = {
    start,
    stop: () => running.disposeAsync(),
    metricValues: () => metrics.values(),
    metricTotal: (name, labels) => metrics.total(name, labels),
  };
  const main = createBirpc<MainCalls, ThreadCalls>(calls, channel(port, THREAD_CHANNEL));
};

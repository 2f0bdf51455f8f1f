import { Worker } from "node:worker_threads";
import { createBirpc } from "birpc";
import { channel } from "../../adapters/threads/channel.ts";
import { logFacts } from "../../adapters/threads/log-host.ts";
import type { Config } from "../../config/config.ts";
import type { Surroundings } from "../../ports/surroundings.ts";
import type { RunningWorker } from "../../ports/worker.ts";
import type { ProcessEngines } from "../engines.ts";
import { PIPELINE, type PipelineWorker } from "../pipeline.ts";
import { eventsBase } from "../succession.ts";
import { hostEmbedded } from "./host-embedded.ts";
import { type MainCalls, THREAD_CHANNEL, type ThreadCalls, type ThreadData } from "./thread-calls.ts";
import { type SilenceLimits, ThreadHealth } from "./thread-health.ts";
import { threadMetrics } from "./thread-metrics.ts";

/** What is thrown away soon, such as the buffers of passing blocks, needs no more; by itself V8 would take up to 64. */
const YOUNG_HEAP_MIB = 24;
/** A thread that is stuck in a call of the system cannot be ended, and would keep the process from ending, too. */
const FORCE_AFTER_MS = 3_000;

const dataOf = async (
  name: PipelineWorker,
  { log, control, seriesSocket }: ProcessEngines,
  { declared: _declared, tls: _tls, ...config }: Config,
): Promise<ThreadData> => ({
  name,
  config,
  log: logFacts(log),
  eventsBase: await eventsBase(control, log.logId),
  seriesSocket,
});

/** Ends the process as it would if the worker ran in the main thread: a thread that broke has lost what it held. */
const failWithThread = (thread: Worker, name: PipelineWorker): (() => void) => {
  const failed = (cause: Error) => {
    throw new Error(`the thread of ${name} broke`, { cause });
  };
  const exited = (code: number) => {
    throw new Error(`the thread of ${name} ended, with code ${code}`);
  };
  thread.on("error", failed);
  thread.on("exit", exited);
  return () => {
    thread.off("error", failed);
    thread.off("exit", exited);
  };
};

/** Ends a thread that does nothing any more, and the process by that. */
const endHung = (
  thread: Worker,
  name: PipelineWorker,
  silentMs: number,
  { clock, telemetry }: Surroundings,
): void => {
  telemetry.log.error({ thread: name, silentMs }, "thread_hung");
  clock.after(FORCE_AFTER_MS, () => process.kill(process.pid, "SIGKILL"));
  void thread.terminate();
};

interface Spawned {
  readonly thread: Worker;
  readonly expectEnd: () => void;
}

/**
 * The threads of the pipeline's workers: what these compute keeps nobody else waiting, and several cores work. Embedded
 * engines stay in this thread, and the workers use them from there. Made early, the threads load their programs while
 * the engines open.
 */
export class WorkerThreads {
  readonly #spawned = new Map<PipelineWorker, Spawned>();
  readonly #silence: SilenceLimits;

  constructor(silence: SilenceLimits) {
    this.#silence = silence;
    for (const name of PIPELINE) {
      const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_HEAP_MIB };
      const thread = new Worker(new URL("./thread.ts", import.meta.url), { name, resourceLimits });
      this.#spawned.set(name, { thread, expectEnd: failWithThread(thread, name) });
    }
  }

  /** Starts the worker of that name; once. */
  async start(
    name: PipelineWorker,
    engines: ProcessEngines,
    config: Config,
    surroundings: Surroundings,
  ): Promise<RunningWorker> {
    const { thread } = this.#spawned.get(name) ?? {};
    if (thread === undefined) throw new Error(`there is no thread of ${name}`);
    const stack = new AsyncDisposableStack();
    const { clock, telemetry } = surroundings;
    const health = new ThreadHealth(name, this.#silence);
    const calls: MainCalls = { health: (told) => health.tell(told) };
    try {
      stack.defer(hostEmbedded(engines, config, thread, clock));
      const rpc = createBirpc<ThreadCalls, MainCalls>(calls, channel(thread, THREAD_CHANNEL));
      stack.defer(() => rpc.$close());
      stack.defer(() => rpc.stop());
      const data = await dataOf(name, engines, config);
      const hung = (silentMs: number) => endHung(thread, name, silentMs, surroundings);
      stack.defer(health.watch(clock, hung));
      await rpc.start(data);
      stack.defer(telemetry.metrics.include(threadMetrics(name, rpc, surroundings)));
    } catch (error) {
      await stack.disposeAsync();
      throw error;
    }
    return { name, health: () => health.now(), stop: () => stack.disposeAsync() };
  }

  /** When every worker has stopped. */
  async end(): Promise<void> {
    const spawned = [...this.#spawned.values()];
    for (const { expectEnd } of spawned) expectEnd();
    await Promise.all(spawned.map(({ thread }) => thread.terminate()));
  }
}

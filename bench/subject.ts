import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { Api } from "../test/support/api.ts";
import { openChdb } from "../test/support/chdb.ts";
import { newApiKey, Service } from "../test/support/service-process.ts";
import { until } from "../test/support/until.ts";
import { wait } from "./bench.ts";
import { BenchChild } from "./child.ts";
import type { Feed } from "./frames.ts";
import type { GeneratorOrder, GeneratorParameters } from "./generator.ts";
import { childrenOf } from "./processes.ts";
import { Sampler, type Watched } from "./sampler.ts";
import { stageCounts, stageRates } from "./stages.ts";

export interface SubjectOptions {
  readonly feed: Feed;
  /** How many sources share the signals. */
  readonly sources?: number;
  /** None of them ever fires but for a dip. */
  readonly rules?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Processes beside the service that its work costs. */
  readonly beside?: Watched;
}

/** A signal seen first costs about half a millisecond of CPU. */
const KNOWN_MAX_MS = 3_600_000;
/** Rules below this never fire: a dip is not so low. */
const BELOW_ALL_DBM = -100;
const LOOK_EVERY_SECONDS = 0.25;
/** What a thousand connections hold in their buffers is tens of millions of readings. */
const STORED_MAX_MS = 600_000;
/** What is under way when nothing more is sent is accepted within. */
const QUIET_SECONDS = 0.5;
/** Flags such as --cpu-prof of the bench itself hold for the service, too. */
const PROFILE_FLAGS = process.execArgv.filter((flag) => flag.includes("prof"));
const PROFILING = PROFILE_FLAGS.length === 0 ? {} : { NODE_OPTIONS: PROFILE_FLAGS.join(" ") };
const Port = z.object({ port: z.number() });
const WithId = z.object({ id: z.string() });
const SIGNALS_KNOWN = /^evaluate_signals\{partition="\d+"\} (\d+)$/gm;

/** The service as `npm start` runs it, in a directory of its own, and a sender that is its source. */
export class Subject {
  readonly generator: BenchChild<GeneratorOrder>;
  readonly key = newApiKey();
  readonly #options: SubjectOptions;
  readonly #directory: string;
  #service: Service | null = null;
  #api: Api | null = null;

  private constructor(options: SubjectOptions, directory: string) {
    const { feed, sources = 1 } = options;
    this.#options = options;
    this.#directory = directory;
    const parameters: GeneratorParameters = { ...feed, connections: sources };
    this.generator = new BenchChild<GeneratorOrder>("./generator.ts", parameters);
  }

  /** Resolves once the sender is connected; nothing is sent yet. */
  static async start(options: SubjectOptions): Promise<Subject> {
    const subject = new Subject(options, await mkdtemp(join(tmpdir(), "sos-bench-")));
    try {
      const { port } = Port.parse(await subject.generator.answer());
      await subject.launch();
      await subject.#prepare(port);
      return subject;
    } catch (error) {
      await subject.end();
      throw error;
    }
  }

  get api(): Api {
    if (this.#api === null) throw new Error("the service is not running");
    return this.#api;
  }
  get pid(): number {
    return this.#service?.pid ?? 0;
  }
  get directory(): string {
    return this.#directory;
  }

  /** Starts the service, again after `stop`; gives how many seconds it took to be ready. */
  async launch(): Promise<number> {
    const from = performance.now();
    this.#service = new Service({
      dataDirectory: this.#directory,
      apiKey: this.key,
      environment: { DEMO: "false", ...PROFILING, ...this.#options.environment },
    });
    this.#api = new Api(await this.#service.ready(), this.key);
    return (performance.now() - from) / 1_000;
  }

  async stop(signal: "SIGTERM" | "SIGKILL"): Promise<void> {
    await this.#service?.end(signal);
  }

  /** Null: as much as is taken. */
  async pace(readingsPerSecond: number | null): Promise<void> {
    await this.generator.answer({ order: "pace", readingsPerSecond });
  }

  /**
   * Sends nothing more, and resolves with how many readings this process of the service accepted, once all of them have
   * passed every stage. Not for one that takes up what a killed one has left.
   */
  async drained(): Promise<number> {
    await this.pace(0);
    let last = -1;
    const drained = await until(
      "all that was accepted to be evaluated and recorded",
      async () => {
        const { accepted, evaluated, recorded } = await stageCounts(this.api);
        // What a start replays is evaluated beside it.
        const isAll = evaluated >= accepted && recorded === accepted && accepted === last;
        last = accepted;
        await wait(QUIET_SECONDS);
        return isAll && { accepted };
      },
      STORED_MAX_MS,
    );
    return drained.accepted;
  }

  /**
   * Sends so many a second and no more: what came before has gone through, and what was due before the first of them has
   * passed every stage is not made up for.
   */
  async steady(readingsPerSecond: number): Promise<void> {
    const before = await this.drained();
    await this.pace(readingsPerSecond);
    const passes = async () => (await stageCounts(this.api)).recorded > before;
    await until("readings to pass every stage", passes, STORED_MAX_MS);
    await this.pace(readingsPerSecond);
  }

  /** Resolves when the evaluator knows every signal. */
  async allKnown(): Promise<void> {
    await until(
      "all signals to be known",
      async () => {
        const metrics = String((await this.api.call("GET", "/metrics")).body);
        const known = [...metrics.matchAll(SIGNALS_KNOWN)].reduce((sum, [, count]) => sum + Number(count), 0);
        await wait(LOOK_EVERY_SECONDS);
        return known >= this.#options.feed.signals;
      },
      KNOWN_MAX_MS,
    );
  }

  /** What passes within so many seconds, and what it costs. */
  async flow(seconds: number) {
    const [before, sampler, from] = [
      await stageCounts(this.api),
      new Sampler(this.watched()),
      performance.now(),
    ];
    await wait(seconds);
    const [after, took] = [await stageCounts(this.api), (performance.now() - from) / 1_000];
    const { readings, figures } = stageRates(before, after, took);
    const { figures: cost, mibOverTime } = sampler.end(readings);
    return { figures: { ...figures, ...cost }, detail: { mibOverTime } };
  }

  /**
   * Throws unless every reading that was accepted is stored once, in the readings and in both rollups. Ends the sending,
   * and the service.
   */
  async checkStored(): Promise<void> {
    const accepted = await this.drained();
    await this.stop("SIGTERM");
    const { timeSeries } = await openChdb(join(this.#directory, "time-series"));
    const stored = await timeSeries.readingCounts().finally(() => timeSeries.close());
    if (Object.values(stored).some((count) => count !== accepted))
      throw new Error(`${accepted} readings were accepted, and stored are ${JSON.stringify(stored)}`);
  }

  watched(): Watched {
    return {
      service: [this.pid],
      ClickHouse: childrenOf(this.pid).map(({ pid }) => pid),
      ...this.#options.beside,
      generator: [this.generator.pid],
    };
  }

  async end(): Promise<void> {
    this.generator.end();
    // What is killed leaves no profile.
    await this.stop(PROFILE_FLAGS.length === 0 ? "SIGKILL" : "SIGTERM");
    await rm(this.#directory, { recursive: true, force: true, maxRetries: 5 });
  }

  async #prepare(port: number): Promise<void> {
    const { feed, rules = 1, sources = 1 } = this.#options;
    for (let at = 0; at < rules; at++) {
      // A dip is no failure to the others: what is to be measured is how many compare, not how many fire.
      const value = at === 0 ? -50 : BELOW_ALL_DBM - at / 10;
      const rule = { name: `rule ${at}`, condition: { operator: "below", value } };
      await this.api.expect(WithId, "POST", "/v1/alerts/rules", rule);
    }
    for (let at = 0; at < sources; at++) {
      const url = `ws://127.0.0.1:${port}/${at}`;
      const source = { type: "websocket", name: `bench ${at}`, url, mapping: { preset: feed.shape } };
      await this.api.expect(WithId, "POST", "/v1/integrations/sources", source);
    }
  }
}

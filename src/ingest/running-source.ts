import { isDeepStrictEqual } from "node:util";
import { fullJitterMs, RECONNECT } from "../domain/backoff.ts";
import { compileMapping } from "../domain/mapping/compile.ts";
import type { CompiledMapping } from "../domain/mapping/visitor.ts";
import { Intake } from "../intake/intake.ts";
import type { RejectionLog } from "../intake/rejection-log.ts";
import { Resolver } from "../intake/resolver.ts";
import type { SourceLedger } from "../intake/source-ledger.ts";
import type { StoredSource } from "../ports/control-store.ts";
import { runnerOf } from "../sources/runner.ts";
import type { RunSource, SourceContext } from "../sources/source.ts";
import type { IngestContext } from "./context.ts";
import { PositionKeeper } from "./position-keeper.ts";
import { SourceFlow } from "./source-flow.ts";
import type { SourceLease } from "./source-lease.ts";
import { SourceReporter } from "./source-reporter.ts";

type Prepared =
  | { readonly ok: true; readonly mapping: CompiledMapping; readonly run: RunSource }
  | { readonly ok: false; readonly message: string };

const prepare = ({ settings }: StoredSource): Prepared => {
  const mapping = compileMapping("mapping" in settings ? settings.mapping : { preset: "default" });
  if (!mapping.ok) return { ok: false, message: `mapping: ${mapping.message}` };
  return { ok: true, mapping: mapping.mapping, run: runnerOf(settings) };
};

/** What outlives a source's connections and settings. */
export interface SavedSource {
  readonly ledger: SourceLedger;
  readonly rejections: RejectionLog;
}

/** What a source is besides its name: while it stays the same, a connection may stay, too. */
const withoutName = ({ settings: { name: _name, ...rest } }: StoredSource) => rest;

/** Names that still wait for control data when a source stops get this long. */
const RESOLVE_TIMEOUT_MS = 2_000;

/** A source with the settings of one revision, its name apart, from its start to its stop. */
export class RunningSource {
  readonly #context: IngestContext;
  readonly #source: StoredSource;
  readonly #saved: SavedSource;
  readonly #stop = new AbortController();
  readonly #reporter: SourceReporter;
  readonly #flow: SourceFlow;
  readonly #position: PositionKeeper;
  readonly #resolver: Resolver;
  readonly #task: Promise<void>;

  constructor(context: IngestContext, lease: SourceLease, source: StoredSource, saved: SavedSource) {
    this.#context = context;
    this.#source = source;
    this.#saved = saved;
    this.#reporter = new SourceReporter(source, { ...context, ledger: saved.ledger, lease });
    this.#flow = new SourceFlow({
      pressure: context.pressure,
      lease,
      ledger: saved.ledger,
      clock: context.clock,
      announce: (paused) => context.announcer.paused(source.id, paused),
    });
    this.#position = new PositionKeeper(context, source.id);
    this.#resolver = this.#makeResolver();
    this.#task = this.#run();
  }

  /** Goes on as it is with a newer revision that changes no more than the name; false if it must be started anew. */
  adopt(source: StoredSource): boolean {
    if (!isDeepStrictEqual(withoutName(source), withoutName(this.#source))) return false;
    this.#reporter.showAs(source);
    return true;
  }

  /** `reason` is told in the event `source.disconnected`; null tells nobody. */
  async stop(reason: string | null): Promise<void> {
    this.#stop.abort();
    await this.#task;
    const deadline = new AbortController();
    const cancel = this.#context.clock.after(RESOLVE_TIMEOUT_MS, () => deadline.abort());
    await Promise.all([this.#resolver.stop(deadline.signal), this.#position.stop(deadline.signal)]);
    cancel();
    this.#flow.stop();
    if (reason !== null) this.#reporter.stopped(reason);
  }

  #makeResolver(): Resolver {
    const { accountId, id, settings } = this.#source;
    const { ledger, rejections } = this.#saved;
    const create = settings.unknownSignals === "create";
    const asker = { accountId, sourceId: id, create, defaults: settings.defaults };
    return new Resolver(this.#context, asker, {
      rejectedName: (reason, name, { kept }) => {
        ledger.rejected();
        rejections.add(reason, `no signal is called ${name}`, kept?.payload ?? "", kept?.place);
      },
      waiting: (tooMany) => this.#flow.namesWait(tooMany),
    });
  }

  /** Whatever a source throws stays here: it is started again, later and later. */
  async #run(): Promise<void> {
    const prepared = prepare(this.#source);
    if (!prepared.ok) {
      this.#reporter.failed(prepared.message);
      return;
    }
    const { clock, entropy } = this.#context;
    const source = this.#sourceContext(prepared.mapping);
    for (let attempt = 0; !this.#stop.signal.aborted; attempt++) {
      try {
        await prepared.run(source, this.#stop.signal);
        return;
      } catch (error) {
        source.fault(error, "source");
        const ms = fullJitterMs(RECONNECT, attempt, entropy.random());
        this.#reporter.waiting("an error on our side", ms);
        await clock.sleep(ms, this.#stop.signal).catch(() => undefined);
      }
    }
  }

  #sourceContext(mapping: CompiledMapping): SourceContext {
    const { clock, entropy, settings, writer, logger, metrics } = this.#context;
    const { retentionRawDays } = settings;
    const resolver = this.#resolver;
    const intake = new Intake({ ...this.#saved, mapping, resolver, writer, clock, retentionRawDays });
    const fault = (error: unknown, where: string) => {
      metrics.faults.add(1, { where });
      const stack = error instanceof Error ? error.stack : String(error);
      logger.error({ sourceId: this.#source.id, where, error: stack }, "ingest_fault");
    };
    const parts = { flow: this.#flow, report: this.#reporter, position: this.#position };
    return { intake, ...parts, clock, entropy, settings, fault };
  }
}

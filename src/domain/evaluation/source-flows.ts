import type { SourceId } from "../../../schemas/common.ts";
import type { PartitionClocks } from "./clocks.ts";

const NONE: ReadonlySet<number> = new Set();

/** Whether ingest holds a source back, and for how long it has so far: its signals' no-data clock stands still meanwhile. */
export class SourceFlow {
  readonly sourceId: SourceId;
  pausedAtMs: number | null = null;
  standstillMs = 0;
  /** How many signals of the source there are. */
  signals = 0;
  #parked: Set<number> | null = null;

  constructor(sourceId: SourceId) {
    this.sourceId = sourceId;
  }

  pause(noDataMs: number): void {
    this.pausedAtMs ??= noDataMs;
  }

  resume(noDataMs: number): void {
    if (this.pausedAtMs === null) return;
    this.standstillMs += noDataMs - this.pausedAtMs;
    this.pausedAtMs = null;
  }

  /** The partition's no-data clock as the signals of the source see it. */
  ms(noDataMs: number): number {
    return (this.pausedAtMs ?? noDataMs) - this.standstillMs;
  }

  /** Remembers the slot of a signal that would be due were the source not paused. */
  park(slot: number): void {
    this.#parked ??= new Set();
    this.#parked.add(slot);
  }

  takeParked(): ReadonlySet<number> {
    const parked = this.#parked ?? NONE;
    this.#parked = null;
    return parked;
  }
}

/** The no-data clock as a signal sees it; `flow` null: it has no source. */
export const sourceMs = (clocks: PartitionClocks, flow: SourceFlow | null): number =>
  flow === null ? clocks.noDataMs : flow.ms(clocks.noDataMs);

/** The flows of the sources that have signals here or are paused: of any other source, nobody's clock depends on it. */
export class SourceFlows {
  readonly #bySource = new Map<SourceId, SourceFlow>();

  get size(): number {
    return this.#bySource.size;
  }

  get(sourceId: SourceId): SourceFlow | undefined {
    return this.#bySource.get(sourceId);
  }

  /** The source's flow, made if it is not there. */
  of(sourceId: SourceId): SourceFlow {
    const known = this.#bySource.get(sourceId);
    if (known !== undefined) return known;
    const flow = new SourceFlow(sourceId);
    this.#bySource.set(sourceId, flow);
    return flow;
  }

  /** A signal of the source is there. */
  join(sourceId: SourceId): SourceFlow {
    const flow = this.of(sourceId);
    flow.signals++;
    return flow;
  }

  /** A signal of the source is gone. */
  leave(flow: SourceFlow): void {
    flow.signals--;
    this.dropUnused(flow);
  }

  dropUnused(flow: SourceFlow): void {
    if (flow.signals === 0 && flow.pausedAtMs === null) this.#bySource.delete(flow.sourceId);
  }

  all(): SourceFlow[] {
    return [...this.#bySource.values()];
  }
}

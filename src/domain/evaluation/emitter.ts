import { AlertId, EventId } from "../../../schemas/common.ts";
import { API_VERSION, type EventData, type SignalEventKind } from "../../../schemas/event.ts";
import { compiled } from "../compiled.ts";
import { derivedUlid } from "../ids.ts";
import type { PartitionClocks } from "./clocks.ts";
import type { DirtySignals } from "./dirty-signals.ts";
import { iso } from "./iso.ts";
import { COSTS, type Pace } from "./pace.ts";
import type { SignalState } from "./signal-state.ts";
import { signalView } from "./signal-view.ts";
import type { EvaluationSink } from "./sink.ts";

const CompiledAlertId = compiled(AlertId);
const CompiledEventId = compiled(EventId);

/** Gives what happens its place: id, time and sequence, the same at every replay. */
export class Emitter {
  readonly #log: { readonly logId: string; readonly partition: number };
  readonly #clocks: PartitionClocks;
  readonly #dirty: DirtySignals;
  readonly #pace: Pace;
  #sink: EvaluationSink | null = null;
  #offset = 0;
  #line = 0;
  #ordinal = 0;

  constructor(
    log: { readonly logId: string; readonly partition: number },
    clocks: PartitionClocks,
    dirty: DirtySignals,
    pace: Pace,
  ) {
    this.#log = log;
    this.#clocks = clocks;
    this.#dirty = dirty;
    this.#pace = pace;
  }

  /** `sink` null: a silent fold, which counts and moves as a loud one does, and tells nobody. */
  beginRecord(offset: number, sink: EvaluationSink | null): void {
    this.#offset = offset;
    this.#line = 0;
    this.#ordinal = 0;
    this.#sink = sink;
  }

  /** What time made happen before the first line of a block counts as that line's. */
  beginLine(line: number): void {
    if (line === this.#line) return;
    this.#line = line;
    this.#ordinal = 0;
  }

  alertId(): AlertId {
    return CompiledAlertId().parse(`alr_${this.#derived("alert")}`);
  }

  /** One whose id is not needed, nor told to anybody, is not given any: that is most of the work. */
  emit(signal: SignalState, kind: SignalEventKind, data: Omit<EventData, "signal">): void {
    this.#count(signal);
    if (this.#sink === null) this.#ordinal++;
    else this.#tell(this.#sink, signal, kind, data);
  }

  /** As `emit`, for an event that another one will name. */
  emitNamed(signal: SignalState, kind: SignalEventKind, data: Omit<EventData, "signal">): EventId {
    this.#count(signal);
    if (this.#sink === null) return this.#eventId(kind);
    return this.#tell(this.#sink, signal, kind, data);
  }

  #count(signal: SignalState): void {
    signal.sequence++;
    this.#dirty.add(signal.slot);
    this.#pace.spend(this.#sink === null ? COSTS.eventUntold : COSTS.event);
  }

  #tell(
    sink: EvaluationSink,
    signal: SignalState,
    kind: SignalEventKind,
    data: Omit<EventData, "signal">,
  ): EventId {
    const { accountId, id: signalId } = signal;
    const event = {
      event: kind,
      id: this.#eventId(kind),
      type: kind,
      createdAt: iso(this.#clocks.recordMs),
      apiVersion: API_VERSION,
      sequence: signal.sequence,
      data: { signal: signalView(signal), ...data },
    } as const;
    sink.event({ accountId, signalId, event });
    return event.id;
  }

  #eventId(kind: SignalEventKind): EventId {
    return CompiledEventId().parse(`evt_${this.#derived(kind)}`);
  }

  #derived(kind: string): string {
    const origin = { ...this.#log, offset: this.#offset, line: this.#line, ordinal: this.#ordinal++ };
    return derivedUlid(this.#clocks.recordMs, origin, kind);
  }
}
